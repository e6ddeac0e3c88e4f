#!/bin/bash
# Imports the image archive from standard input into this root's containerd.
set -euo pipefail

containerd >/tmp/containerd.log 2>&1 &
containerd=$!
stop() {
	kill "$containerd" 2>/dev/null || true
	wait "$containerd" || true
	rm -f /tmp/containerd.log
}
trap stop EXIT

for _ in {1..150}; do
	ctr version >/dev/null 2>&1 && break
	kill -0 "$containerd" || { tail -n 20 /tmp/containerd.log >&2; exit 1; }
	sleep 0.2
done
# Do not unpack: the snapshot would be lost with the container's own /var.
ctr --namespace=k8s.io images import --no-unpack -
