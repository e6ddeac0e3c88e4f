#!/bin/bash
# Runs inside the root file system after kind's files and the Kubernetes programs are
# installed. It does what the RUN lines of kind's images/base/Dockerfile do.
set -euo pipefail

chmod 0755 /usr/local/bin/* /usr/bin/kube* /kind /kind/bin /kind/bin/*

# Units that do not work in a container.
find /lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete
rm -f /lib/systemd/system/multi-user.target.wants/* /etc/systemd/system/*.wants/* \
	/lib/systemd/system/local-fs.target.wants/* /lib/systemd/system/basic.target.wants/* \
	/lib/systemd/system/sockets.target.wants/*udev* /lib/systemd/system/sockets.target.wants/*initctl*
echo 'ReadKMsg=no' >>/etc/systemd/journald.conf
ln -sf /usr/lib/systemd/systemd /sbin/init

systemctl enable kubelet.service containerd.service undo-mount-hacks.service
# It would register formats with the kernel that all containers share.
systemctl mask systemd-binfmt.service

mkdir -p /etc/kubernetes/manifests /opt/cni/bin
# kind's units expect containerd and the plugins at these paths.
ln -sf /usr/bin/containerd /usr/bin/ctr /usr/local/bin/
for plugin in host-local loopback ptp portmap; do
	ln -sf "/usr/lib/cni/$plugin" /opt/cni/bin/
done

ctr oci spec |
	jq '.hooks.createContainer += [{"path": "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' \
		>/etc/containerd/cri-base.json
