// Package nodeimage finds or makes the image that a kind node runs.
//
// Whoever can pull gets kind's own default image, pinned by digest. For everyone
// else the package builds one from Debian's packages and the Go module cache
// alone: Debian's root file system with systemd, containerd and runc; kind's own
// node files; Kubernetes and its add-ons compiled from their modules; and the
// images of the control plane imported, as kind does it, by the root's containerd.
//
// The offline image serves single-node clusters: it has a static network
// configuration instead of kindnet. It carries the label NetworkLabel, by which
// a cluster knows.
package nodeimage
