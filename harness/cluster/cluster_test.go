package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/GameplanePanel/rehearsal/harness/docker"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

// TestCluster creates a real cluster, uses it as a rehearsal does, and deletes it.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: makes a cluster")
	}
	if _, err := docker.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := userKubeconfig(t)
	stateDir := filepath.Join(t.TempDir(), "state")
	config := Config{Name: fmt.Sprintf("test-%d", os.Getpid()), StateDir: stateDir, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	c, err := Create(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Delete(context.Background()); err != nil {
			t.Error(err)
		}
	})
	user := newClusterUser(t, c)

	t.Run("is not made twice", func(t *testing.T) {
		if _, err := Create(t.Context(), config); !errors.Is(err, ErrExists) {
			t.Errorf("Create = %v, want ErrExists", err)
		}
	})
	t.Run("keeps its kubeconfig private", func(t *testing.T) {
		info, err := os.Stat(c.Kubeconfig())
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("kubeconfig has mode %o, want 600", got)
		}
	})
	t.Run("pulls by digest", user.pullsByDigest)
	t.Run("misses an absent digest", user.missesAbsentDigest)
	t.Run("provisions a volume", user.provisionsVolume)
	t.Run("is closed", user.isClosed)
	t.Run("is attached to", func(t *testing.T) {
		if _, err := Attach(t.Context(), config); !errors.Is(err, ErrInUse) {
			t.Errorf("Attach = %v, want ErrInUse", err)
		}
		c.entry.release() // as if the process that created it had ended
		attached, err := Attach(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		c.entry = attached.entry
		if attached.Registry() != c.Registry() || attached.NodeImage() != c.NodeImage() {
			t.Errorf("attached to %s of %s, want %s of %s", attached.Registry(), attached.NodeImage(), c.Registry(), c.NodeImage())
		}
	})
	t.Run("is found by cleanup", func(t *testing.T) {
		root, err := stateRoot()
		if err != nil {
			t.Fatal(err)
		}
		left, err := leftClusters(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		want := &leftCluster{name: c.Name(), entry: c.entry.path, stateDirs: []string{config.StateDir}, labelled: true}
		if diff := cmp.Diff(want, left[c.Name()], cmp.AllowUnexported(leftCluster{})); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
	})
	t.Run("is deleted", func(t *testing.T) { checkDeleted(t, c, config) })
	if after := userKubeconfig(t); after != before {
		t.Errorf("the user's kubeconfig has changed: %s, was %s", after, before)
	}
}

func checkDeleted(t *testing.T, c *Cluster, config Config) {
	for range 2 { // the second finds nothing
		if err := c.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	left, err := docker.Lines(t.Context(), "ps", "--all", "--format", "{{.Names}}", "--filter", "name="+c.Name())
	if err != nil || len(left) > 0 {
		t.Errorf("remaining containers: %v, %v", left, err)
	}
	if _, err := os.Stat(config.StateDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("state directory remains: %v", err)
	}
	if _, err := os.Stat(c.entry.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("entry remains in the index: %v", err)
	}
	if _, err := Attach(t.Context(), config); !errors.Is(err, ErrNotFound) {
		t.Errorf("Attach = %v, want ErrNotFound", err)
	}
}

// userKubeconfig describes the current ~/.kube/config.
func userKubeconfig(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(home, ".kube", "config"))
	if errors.Is(err, fs.ErrNotExist) {
		return "absent"
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(info.Size(), info.ModTime())
}

// clusterUser uses a cluster as a rehearsal does.
type clusterUser struct {
	cluster *Cluster
	client  kubernetes.Interface
	dial    string // reference of testdata/dial
}

func newClusterUser(t *testing.T, c *Cluster) clusterUser {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.REST())
	if err != nil {
		t.Fatal(err)
	}
	image, err := ociimage.Build(t.Context(), ociimage.Program{Dir: ".", Package: "./testdata/dial", Arch: c.Arch()})
	if err != nil {
		t.Fatal(err)
	}
	dial, err := c.Push(t.Context(), "dial", image)
	if err != nil {
		t.Fatal(err)
	}
	return clusterUser{cluster: c, client: client, dial: dial}
}

func (u clusterUser) pullsByDigest(t *testing.T) {
	pod := u.run(t, pod("pulls", u.dial, "hold"), running)
	if got := pod.Status.ContainerStatuses[0].ImageID; got != u.dial {
		t.Errorf("imageID = %q, want %q", got, u.dial)
	}
}

// missesAbsentDigest expects the kubelet's own reasons, and soon: neither a registry
// without the image nor a host without an address may cost a timeout.
func (u clusterUser) missesAbsentDigest(t *testing.T) {
	for name, image := range map[string]string{
		"digest": u.cluster.Registry() + "/dial@sha256:" + strings.Repeat("0", 64),
		"host":   "registry.invalid/dial:latest",
	} {
		began := time.Now()
		missing := u.run(t, pod("missing-"+name, image), func(p *corev1.Pod) bool { return waiting(p) == "ErrImagePull" })
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s: ErrImagePull after %s", name, took)
		}
		message := missing.Status.ContainerStatuses[0].State.Waiting.Message
		if name == "digest" && !strings.Contains(message, "not found") {
			t.Errorf("the kubelet says %q, want the registry's \"not found\"", message)
		}
	}
}

func (u clusterUser) provisionsVolume(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data"}}
	claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Mi")}
	if _, err := u.client.CoreV1().PersistentVolumeClaims("default").Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	p := pod("volume", u.dial, "hold")
	p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
	u.run(t, p, running)
	bound, err := u.client.CoreV1().PersistentVolumeClaims("default").Get(t.Context(), "data", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if bound.Status.Phase != corev1.ClaimBound {
		t.Errorf("claim is %s, want Bound", bound.Status.Phase)
	}
}

// isClosed makes the same attempts on the closed and on the open cluster: a target
// counts as refused only if the open cluster connects to it.
func (u clusterUser) isClosed(t *testing.T) {
	c := u.cluster
	outside := []string{
		"tcp:" + c.registry.address.String() + ":" + controlPort, // another container
		"tcp:" + listenOnHost(t),                                 // the host itself
		"dns:" + registryName(c.config.Name) + ".",               // the engine's resolver
	}
	inside := []string{
		"tcp:" + c.registry.address.String() + ":" + registryPort,
		"tcp:kubernetes.default.svc.cluster.local.:443",
		"dns:kubernetes.default.svc.cluster.local.",
	}
	closed := u.attempts(t, "closed", append(outside, inside...))
	if _, err := openEgress(t.Context(), c.node()); err != nil {
		t.Fatal(err)
	}
	open := u.attempts(t, "open", append(outside, inside...))
	for _, target := range outside {
		if !open[target].reached {
			t.Errorf("no connection to %s from the open cluster: the control is missing", target)
		}
		if closed[target].reached {
			t.Errorf("the closed cluster connected to %s", target)
		}
		if closed[target].took > time.Second {
			t.Errorf("%s was refused only after %s", target, closed[target].took)
		}
	}
	for _, target := range inside {
		if !closed[target].reached {
			t.Errorf("no connection to %s from the closed cluster", target)
		}
	}
}

type attempt struct {
	reached bool
	took    time.Duration
}

func (u clusterUser) attempts(t *testing.T, name string, targets []string) map[string]attempt {
	t.Helper()
	u.run(t, pod(name, u.dial, targets...), func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodSucceeded })
	logs, err := u.client.CoreV1().Pods("default").GetLogs(name, &corev1.PodLogOptions{}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	attempts := map[string]attempt{}
	for lines := bufio.NewScanner(logs); lines.Scan(); {
		t.Log(name+":", lines.Text())
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			continue // an error message
		}
		if millis, err := strconv.Atoi(fields[2]); err == nil {
			attempts[fields[0]] = attempt{fields[1] == "reached", time.Duration(millis) * time.Millisecond}
		}
	}
	for _, target := range targets {
		if _, tried := attempts[target]; !tried {
			t.Fatalf("%s: %s was not tried", name, target)
		}
	}
	return attempts
}

// listenOnHost serves on the host's address in the kind network, like any service
// of the host that listens on all addresses.
func listenOnHost(t *testing.T) string {
	t.Helper()
	gateways, err := docker.Output(t.Context(), "network", "inspect", "--format", "{{range .IPAM.Config}}{{.Gateway}} {{end}}", network)
	if err != nil {
		t.Fatal(err)
	}
	for _, gateway := range strings.Fields(gateways) {
		if strings.Contains(gateway, ":") {
			continue
		}
		listener, err := net.Listen("tcp", net.JoinHostPort(gateway, "0"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		return listener.Addr().String()
	}
	t.Fatalf("the kind network has no IPv4 gateway: %q", gateways)
	return ""
}
