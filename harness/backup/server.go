package backup

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

const (
	runAs = 65532

	htpasswdFile = "htpasswd"
	loginPath    = "/login"
)

func selector(name string) map[string]string {
	return map[string]string{"app.kubernetes.io/name": name}
}

func service(meta metav1.ObjectMeta) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: meta,
		Spec: corev1.ServiceSpec{
			Selector: selector(meta.Name),
			Ports:    []corev1.ServicePort{{Name: "http", Port: port, TargetPort: intstr.FromInt32(port)}},
		},
	}
}

// deployment runs the server as an unprivileged user on its own volume. Its directory does not exist at the start:
// rest-server answers 403 to the creation of a repository in a partly initialised one.
//
// It asks for a login and only takes data in: a candidate on the same network could else fill it, spoil it, or delete
// the snapshot that is the way back.
func deployment(meta metav1.ObjectMeta, o Options) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(1)),
			// Never run two servers at once: the second would start with an empty volume.
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Selector: &metav1.LabelSelector{MatchLabels: selector(meta.Name)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: meta.Labels},
				Spec:       pod(meta.Name, o),
			},
		},
	}
}

func pod(name string, o Options) corev1.PodSpec {
	var pullSecrets []corev1.LocalObjectReference
	if o.PullSecret != "" {
		pullSecrets = []corev1.LocalObjectReference{{Name: o.PullSecret}}
	}
	return corev1.PodSpec{
		ImagePullSecrets:              pullSecrets,
		AutomountServiceAccountToken:  ptr.To(false),
		EnableServiceLinks:            ptr.To(false),
		TerminationGracePeriodSeconds: ptr.To(int64(2)),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   ptr.To(true),
			RunAsUser:      ptr.To(int64(runAs)),
			RunAsGroup:     ptr.To(int64(runAs)),
			FSGroup:        ptr.To(int64(runAs)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Volumes: []corev1.Volume{
			{Name: "repository", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "login", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}}},
		},
		Containers: []corev1.Container{{
			Name:            name,
			Image:           o.Image,
			ImagePullPolicy: corev1.PullIfNotPresent,
			Args: []string{
				"repository", "--path", "/repository/restic", "--listen", ":" + strconv.Itoa(port),
				"--htpasswd-file", loginPath + "/" + htpasswdFile,
			},
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: port}},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "repository", MountPath: "/repository"},
				{Name: "login", MountPath: loginPath, ReadOnly: true},
			},
			ReadinessProbe: &corev1.Probe{
				ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(port)}},
				PeriodSeconds: 1,
			},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: ptr.To(false),
				ReadOnlyRootFilesystem:   ptr.To(true),
				Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		}},
	}
}
