// Package ociimage turns Go programs and files into single-platform container
// images, in process: it needs no container engine and no Dockerfile.
//
// Every image is built from scratch and is reproducible: the same sources, Go
// toolchain and flags give the same digest on every machine. Layers are sorted,
// times are zero, owners are root.
package ociimage
