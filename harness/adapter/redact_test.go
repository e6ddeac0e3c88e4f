package adapter

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

const (
	rconPassword   = "Kx7-correct-horse"
	resticPassword = "battery-staple-9Q"
	apiToken       = "token-of-the-pod"
)

func secrets() []runtime.Object {
	secret := func(name string, data map[string]string) *corev1.Secret {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns}, Data: map[string][]byte{}}
		for key, value := range data {
			s.Data[key] = []byte(value)
		}
		return s
	}
	return []runtime.Object{
		secret("s-rcon", map[string]string{"password": rconPassword + "\n", "short": "game"}),
		secret(DefaultRepository, map[string]string{"repo": "rest:http://u:p@host/", "password": resticPassword}),
		secret("tokens", map[string]string{"api": apiToken}),
		secret("other", map[string]string{"x": "exit code"}),
	}
}

// says makes the game of a pod end with a message.
func says(message string) func(*corev1.Pod, *corev1.ContainerStatus) {
	return func(pod *corev1.Pod, status *corev1.ContainerStatus) {
		exits(1)(pod, status)
		status.LastTerminationState.Terminated.Message = message
		pod.Spec.Containers = []corev1.Container{{Name: GameContainer, EnvFrom: []corev1.EnvFromSource{{
			SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "tokens"}},
		}}}}
	}
}

// TestRejectionHoldsNoSecret: a rejection quotes the game's last lines and goes into a signed receipt.
func TestRejectionHoldsNoSecret(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ message, want string }{
		"all values":                 {"rcon=" + rconPassword + " restic=" + resticPassword + " api=" + apiToken, "exit code 1: rcon=[redacted] restic=[redacted] api=[redacted]"},
		"short value stays":          {"game over", "exit code 1: game over"},
		"address":                    {"rest:http://u:p@host/: refused", "exit code 1: [redacted]: refused"},
		"cut off at the start":       {rconPassword[4:] + "\nbye", "exit code 1: [redacted]\nbye"},
		"cut off at the end":         {"password " + rconPassword[:9], "exit code 1: password [redacted]"},
		"across the harness's limit": {strings.Repeat("x", 490) + rconPassword, "exit code 1: " + strings.Repeat("x", 490) + "[redac…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			typed := append(secrets(), statefulSet(nil), readyPod(says(tc.message)))
			c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, typed...)
			_, err := c.AwaitRunning(t.Context(), "s", Expect{Digest: wanted})
			rejected, ok := errors.AsType[*Rejected](err)
			if !ok {
				t.Fatalf("AwaitRunning = %v", err)
			}
			if rejected.Message != tc.want {
				t.Errorf("message %q, want %q", rejected.Message, tc.want)
			}
			if left := rejected.Pod.Status.ContainerStatuses[0].LastTerminationState.Terminated.Message; strings.Contains(left, rconPassword) {
				t.Errorf("the pod still says %q", left)
			}
		})
	}
}

// TestTimeoutHoldsNoSecret: a timeout quotes the last observed state.
func TestTimeoutHoldsNoSecret(t *testing.T) {
	t.Parallel()
	unready := func(pod *corev1.Pod, status *corev1.ContainerStatus) {
		waitsWith("ContainerCreating", "password is "+rconPassword)(pod, status)
		pod.Status.Conditions[0].Message = "probe said " + rconPassword
	}
	c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, append(secrets(), statefulSet(nil), readyPod(unready))...)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted})
	rejected, ok := errors.AsType[*Rejected](err)
	if !ok || !strings.Contains(rejected.Message, "password is [redacted]") || strings.Contains(rejected.Message+rejected.Err.Error(), rconPassword) {
		t.Errorf("AwaitRunning = %v", err)
	}
}

func TestFailedBackupHoldsNoSecret(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"Failed", "Pending"} { // the second ends in a timeout
		c, cluster := newFake(t, Settings{Timeout: 300 * time.Millisecond}, nil, secrets()...)
		play(t, cluster, "b", map[string]any{"phase": phase, "message": "restic: wrong password " + resticPassword + ", console " + rconPassword})
		_, err := c.Backup(t.Context(), "b", "s")
		if err == nil || !strings.Contains(err.Error(), "wrong password [redacted], console [redacted]") {
			t.Errorf("%s: Backup = %v", phase, err)
		}
	}
	// The harness's own limit must leave no part of a value.
	c, cluster := newFake(t, Settings{}, nil, secrets()...)
	play(t, cluster, "b", map[string]any{"phase": "Failed", "message": strings.Repeat("x", 505) + resticPassword})
	if _, err := c.Backup(t.Context(), "b", "s"); err == nil || strings.Contains(err.Error(), resticPassword[:4]) {
		t.Errorf("Backup = %v", err)
	}
}

// TestFailedRestoreHoldsNoSecretOfItsBackup: the repository of a Backup that is older than the run is not the run's.
func TestFailedRestoreHoldsNoSecretOfItsBackup(t *testing.T) {
	t.Parallel()
	const password = "of-the-production-repository"
	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "nightly-repo", Namespace: ns}, Data: map[string][]byte{"password": []byte(password)}}
	nightly := object("Backup", "nightly", map[string]any{"spec": map[string]any{"repoRef": map[string]any{"name": "nightly-repo"}}})
	for _, phase := range []string{"Failed", "Pending"} { // the second ends in a timeout
		c, cluster := newFake(t, Settings{Timeout: 300 * time.Millisecond}, []runtime.Object{nightly}, append(secrets(), theirs)...)
		cluster.once(t, restores, func(*unstructured.Unstructured) bool { return true }, func(restore *unstructured.Unstructured) {
			restore.Object["status"] = map[string]any{"phase": phase, "message": "Fatal: login " + password + " refused"}
			_ = cluster.objects.Tracker().Update(restores, restore, ns)
		})
		if _, err := c.Restore(t.Context(), "r", "nightly", "s"); err == nil || !strings.Contains(err.Error(), "login [redacted] refused") {
			t.Errorf("%s: Restore = %v", phase, err)
		}
	}
}

// TestUnreadSecretsLetNothingOut: if a Secret cannot be read, its messages are not passed on.
func TestUnreadSecretsLetNothingOut(t *testing.T) {
	t.Parallel()
	c, cluster := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, append(secrets(), statefulSet(nil), readyPod(says(rconPassword)))...)
	cluster.typed.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("forbidden")
	})
	if _, err := c.AwaitRunning(t.Context(), "s", Expect{Digest: wanted}); err == nil || strings.Contains(err.Error(), rconPassword) {
		t.Errorf("AwaitRunning = %v", err)
	}
}
