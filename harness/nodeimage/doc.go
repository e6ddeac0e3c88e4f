// Package nodeimage finds or builds the image that a kind node runs.
//
// A machine that can pull uses kind's own default image, pinned by digest. For any
// other machine the package builds an image from Debian's packages and the Go module
// cache alone: Debian's root file system with systemd, containerd and runc; kind's
// node files; Kubernetes and its add-ons, compiled from their modules; and the
// control plane's images, which the root's containerd imports as kind does it.
//
// The offline image serves single-node clusters: it has a static network
// configuration instead of kindnet. The label NetworkLabel tells a cluster so.
package nodeimage
