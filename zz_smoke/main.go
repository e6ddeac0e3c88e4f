package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/GameplanePanel/rehearsal/fixtures/config"
	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/backup"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
}

var last = time.Now()

func lap(what string, args ...any) {
	fmt.Printf("%7.2fs %s %v\n", time.Since(last).Seconds(), what, args)
	last = time.Now()
}

func dig(ref string) string { return ref[strings.LastIndex(ref, "@")+1:] }

func run(ctx context.Context) (err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	imgs := map[string]v1.Image{}
	tools := "harness/backup/tools"
	for n, p := range map[string]ociimage.Program{
		"operator": {Dir: ".", Package: "./fixtures/operator"}, "witness": {Dir: ".", Package: "./cmd/witness"},
		"restic":      {Dir: tools, Package: "github.com/restic/restic/cmd/restic"},
		"rest-server": {Dir: tools, Package: "github.com/restic/rest-server/cmd/rest-server"},
		"game/A":      {Dir: ".", Package: "./fixtures/gameserver", Ldflags: "-X main.gameID=A"},
		"game/A2":     {Dir: ".", Package: "./fixtures/gameserver", Ldflags: "-X main.gameID=A -X main.buildLabel=2"},
		"game/B":      {Dir: ".", Package: "./fixtures/gameserver", Ldflags: "-X main.gameID=B"},
	} {
		p.Arch = "amd64"
		imgs[n], err = ociimage.Build(ctx, p)
		if err != nil {
			return err
		}
		lap("built", n)
	}
	if os.Getenv("BUILDONLY") != "" {
		return nil
	}
	var c *cluster.Cluster
	cc := cluster.Config{Name: "op", Log: log}
	if os.Getenv("ATTACH") != "" {
		c, err = cluster.Attach(ctx, cc)
	} else {
		c, err = cluster.Create(ctx, cc)
	}
	if err != nil {
		return err
	}
	if os.Getenv("KEEP") == "" {
		defer func() { err = errors.Join(err, c.Delete(context.WithoutCancel(ctx))); lap("deleted") }()
	}
	lap("cluster")
	refs := map[string]string{}
	for n, i := range imgs {
		refs[n], err = c.Push(ctx, strings.Split(n, "/")[0], i)
		if err != nil {
			return err
		}
	}
	lap("pushed")
	v := config.Values{OperatorImage: refs["operator"], ResticImage: refs["restic"]}
	if err := config.Install(ctx, c.REST(), v); err != nil {
		return err
	}
	lap("installed operator")
	k := kubernetes.NewForConfigOrDie(c.REST())
	ns := fmt.Sprintf("g%d", time.Now().Unix())
	if _, err := k.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := backup.Deploy(ctx, c.REST(), ns, refs["rest-server"]); err != nil {
		return err
	}
	lap("rest-server")
	a, err := adapter.New(c.REST(), ns, adapter.Settings{Timeout: 3 * time.Minute})
	if err != nil {
		return err
	}
	f, err := a.Features(ctx)
	lap("features", f.Names(), err)
	tm := "mc-" + ns
	if err := a.InstallTemplate(ctx, adapter.MinecraftTemplate(tm, refs["game/A"])); err != nil {
		return err
	}
	A, err := a.InstallRevision(ctx, tm, refs["game/A"])
	if err != nil {
		return err
	}
	lap("revision A")
	await := func(s, img string, not types.UID) (types.UID, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		p, err := a.AwaitRunning(ctx, s, adapter.Expect{Digest: dig(img), NotPod: not})
		if r, ok := errors.AsType[*adapter.Rejected](err); ok {
			lap("REJECTED "+s, r.Reason, r.Message)
			if r.Pod != nil {
				return r.Pod.UID, err
			}
			return "", err
		}
		if err != nil {
			return "", err
		}
		lap("running "+s, p.UID)
		return p.UID, nil
	}
	for _, s := range []string{"fleet-a", "fleet-b"} {
		if err := a.CreateServer(ctx, adapter.Server{Name: s, Template: tm, Revision: A.TemplateDigest, Image: A.Image}); err != nil {
			return err
		}
	}
	if _, err := await("fleet-a", refs["game/A"], ""); err != nil {
		return err
	}
	fb, err := await("fleet-b", refs["game/A"], "")
	if err != nil {
		return err
	}
	b, err := a.Backup(ctx, "before", "fleet-a")
	if err != nil {
		return err
	}
	lap("backup", b)
	b2, err := a.Backup(ctx, "second", "fleet-a")
	lap("second backup", b2, err)
	if err := a.CreateServer(ctx, adapter.Server{Name: "clone", Template: tm, Revision: A.TemplateDigest, Image: A.Image, Suspend: true}); err != nil {
		return err
	}
	cl, err := a.Claims(ctx, "clone")
	lap("claims", cl, err)
	r, err := a.Restore(ctx, "seed", "before", "clone")
	if err != nil {
		return err
	}
	lap("restore", r)
	u, err := await("clone", refs["game/A"], "")
	if err != nil {
		return err
	}
	cl, err = a.Claims(ctx, "clone")
	lap("claims", cl, err)
	A2, err := a.InstallRevision(ctx, tm, refs["game/A2"])
	if err != nil {
		return err
	}
	if err := a.Adopt(ctx, "clone", A2); err != nil {
		return err
	}
	if u, err = await("clone", refs["game/A2"], u); err != nil {
		fmt.Println("A2:", err)
	}
	B, err := a.InstallRevision(ctx, tm, refs["game/B"])
	if err != nil {
		return err
	}
	if err := a.Adopt(ctx, "clone", B); err != nil {
		return err
	}
	if u, err = await("clone", refs["game/B"], u); err != nil {
		fmt.Println("B:", err)
	}
	if err := a.Adopt(ctx, "clone", A); err != nil {
		return err
	}
	u2, err := await("clone", refs["game/A"], u)
	fmt.Println("A on B's world:", err)
	if u2 != "" {
		u = u2
	}
	if err := a.Suspend(ctx, "clone"); err != nil {
		return err
	}
	lap("suspended")
	r, err = a.Restore(ctx, "rollback", "before", "clone")
	if err != nil {
		return err
	}
	lap("restore", r)
	if u, err = await("clone", refs["game/A"], u); err != nil {
		fmt.Println("restored:", err)
	}
	bad := strings.Split(refs["game/A"], "@")[0] + "@sha256:" + strings.Repeat("ab", 32)
	U, err := a.InstallRevision(ctx, tm, bad)
	if err != nil {
		return err
	}
	if err := a.Adopt(ctx, "clone", U); err != nil {
		return err
	}
	if u, err = await("clone", bad, u); err == nil {
		return errors.New("unpullable runs")
	}
	if err := a.Adopt(ctx, "clone", A); err != nil {
		return err
	}
	if err := a.ReplacePod(ctx, "clone"); err != nil {
		return err
	}
	if u, err = await("clone", refs["game/A"], u); err != nil {
		return err
	}
	p, err := k.CoreV1().Pods(ns).Get(ctx, "fleet-b-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	fmt.Println("fleet-b untouched:", p.UID == fb)
	pend, err := a.Pending(ctx, "fleet-b")
	fmt.Println("pending:", pend == U.TemplateDigest, err)
	cl, err = a.Claims(ctx, "clone")
	lap("claims", cl, err)
	if os.Getenv("KEEP") == "" {
		if err := config.Uninstall(ctx, c.REST(), v); err != nil {
			return err
		}
		lap("uninstalled")
		l, err := k.CoreV1().PersistentVolumeClaims(ns).List(ctx, metav1.ListOptions{})
		fmt.Println("claims left:", len(l.Items), err)
	}
	return nil
}
