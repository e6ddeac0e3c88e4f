package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/utils/ptr"

	"github.com/GameplanePanel/rehearsal/harness/await"
)

// maxOutput bounds the output of a witness pod: its input (worlds, servers) is hostile.
const maxOutput = 1 << 20

// podDeadline bounds the wait for a witness pod that has little to read. On a busy machine most of it goes into the
// pod's start.
const podDeadline = 2 * time.Minute

// podMemory is several times what a witness pod needs within its read limits. A pod that hostile input tricks into more
// must not take it from the games.
var podMemory = resource.MustParse("512Mi")

// errOutputTooLong ends the read of a pod that prints more than it legitimately can.
var errOutputTooLong = errors.New("output too long")

// witnessUser is also the user of the game servers, so the witness can read their claims.
const witnessUser = 65532

// Witness runs the harness's own image in the cluster: receipts trust no other image.
type Witness struct {
	Config    *rest.Config
	Client    kubernetes.Interface
	Namespace string
	Image     string            // by digest
	Labels    map[string]string // put on every pod
	// PullSecret is the Secret with which the cluster pulls the image; "" where it needs none.
	PullSecret string
}

// podFor returns a minimal-privilege pod that runs the witness with args and mounts the given claims.
func (w *Witness) podFor(name string, args []string, mounts map[string]string, readOnly bool) *corev1.Pod {
	container := corev1.Container{
		Name:  "witness",
		Image: w.Image,
		Args:  args,
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false),
			ReadOnlyRootFilesystem:   ptr.To(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		// Without an explicit request, the limit would become the request and fill a small node.
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("16Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: podMemory},
		},
	}
	spec := corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		AutomountServiceAccountToken:  ptr.To(false),
		EnableServiceLinks:            ptr.To(false),
		TerminationGracePeriodSeconds: ptr.To[int64](1),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   ptr.To(true),
			RunAsUser:      ptr.To[int64](witnessUser),
			RunAsGroup:     ptr.To[int64](witnessUser),
			FSGroup:        ptr.To[int64](witnessUser),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}
	for claim, path := range mounts {
		volume := fmt.Sprintf("claim-%d", len(spec.Volumes))
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim, ReadOnly: readOnly},
		}})
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: path, ReadOnly: readOnly})
	}
	spec.Containers = []corev1.Container{container}
	if w.PullSecret != "" {
		spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: w.PullSecret}}
	}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.Namespace, Labels: w.Labels}, Spec: spec}
}

// run creates a pod, waits until it succeeds, returns its output, and deletes it.
func (w *Witness) run(ctx context.Context, pod *corev1.Pod) ([]byte, error) {
	pods := w.Client.CoreV1().Pods(w.Namespace)
	created, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create witness pod %s: %w", pod.Name, err)
	}
	defer w.remove(context.WithoutCancel(ctx), created)

	ended, err := w.await(ctx, pod.Name, "end", func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	})
	if err != nil {
		return nil, err
	}
	output, err := w.logs(ctx, pod.Name)
	if err != nil {
		return nil, err
	}
	if ended.Status.Phase == corev1.PodFailed {
		return nil, fmt.Errorf("witness pod %s failed: %s", pod.Name, bytes.TrimSpace(output))
	}
	return output, nil
}

func (w *Witness) logs(ctx context.Context, name string) ([]byte, error) {
	stream, err := w.Client.CoreV1().Pods(w.Namespace).GetLogs(name, &corev1.PodLogOptions{}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read log of witness pod %s: %w", name, err)
	}
	defer stream.Close()
	output, err := io.ReadAll(io.LimitReader(stream, maxOutput+1))
	if err != nil {
		return nil, fmt.Errorf("read log of witness pod %s: %w", name, err)
	}
	if len(output) > maxOutput {
		return nil, fmt.Errorf("log of witness pod %s: %w (over %d bytes)", name, errOutputTooLong, maxOutput)
	}
	return output, nil
}

// await waits until done is true for a pod.
func (w *Witness) await(ctx context.Context, name, what string, done func(*corev1.Pod) bool) (*corev1.Pod, error) {
	pods := w.Client.CoreV1().Pods(w.Namespace)
	var pod *corev1.Pod
	look := func(ctx context.Context) (over bool, state string, err error) {
		if pod, err = pods.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false, "", err
		}
		return done(pod), describe(pod), nil
	}
	err := await.Until(ctx, "witness pod "+name+" to "+what, look, await.Subject{Resource: pods, Name: name})
	return pod, err
}

func describe(pod *corev1.Pod) string {
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Waiting != nil {
			return fmt.Sprintf("%s, %s: %s", pod.Status.Phase, status.State.Waiting.Reason, status.State.Waiting.Message)
		}
	}
	return string(pod.Status.Phase)
}

func (w *Witness) remove(ctx context.Context, pod *corev1.Pod) {
	// By UID, so that no other pod of this name is deleted. A leftover pod goes with its namespace.
	_ = w.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: ptr.To[int64](0),
		Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
	})
}

// exec runs a command in a witness pod and returns its standard output, whatever its exit code.
func (w *Witness) exec(ctx context.Context, pod string, command []string) ([]byte, error) {
	request := w.Client.CoreV1().RESTClient().Post().
		Resource("pods").Namespace(w.Namespace).Name(pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: "witness", Command: command, Stdout: true, Stderr: true}, scheme.ParameterCodec)
	executor, err := remotecommand.NewWebSocketExecutor(w.Config, "GET", request.URL().String())
	if err != nil {
		return nil, fmt.Errorf("exec in pod %s: %w", pod, err)
	}
	stdout, stderr := &limitedBuffer{}, &limitedBuffer{}
	err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: stdout, Stderr: stderr})
	if stdout.overflow || stderr.overflow {
		return nil, fmt.Errorf("exec in pod %s: %w (over %d bytes)", pod, errOutputTooLong, maxOutput)
	}
	if err != nil && !exited(err) {
		return nil, fmt.Errorf("exec %v in pod %s: %w%s", command, pod, err, said(stderr.Bytes()))
	}
	if stdout.Len() == 0 {
		return nil, fmt.Errorf("exec %v in pod %s printed nothing%s", command, pod, said(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}

// said formats a program's standard error for the end of an error.
func said(stderr []byte) string {
	text := bytes.TrimSpace(stderr)
	if len(text) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", text)
}
