# The node: containerd, the pods' network, kubelet, kube-proxy, and the two
# daemons for storage and NetworkPolicy that run beside them. Sourced after
# control_plane.sh.

NODE=node-1 # not the hostname, since the state must survive a renamed machine

in_containerd() { ctr --address "$RUN/containerd.sock" -n k8s.io "$@"; }

node_address() { # prints the address at which pods reach this machine
  local address
  address=$(ip -4 route get 192.0.2.1 2>/dev/null | sed -nE 's/.* src ([0-9.]+).*/\1/p')
  [ -n "$address" ] || address=$(ip -4 -o address show scope global | sed -nE '1s/.* inet ([0-9.]+).*/\1/p')
  [ -n "$address" ] || fail "this machine has no IPv4 address besides the loopback: give a network device one"
  echo "$address"
}

prepare_host() {
  sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1
  # Kubelet and containerd watch many files; if this is refused, the default often suffices.
  sysctl -qw fs.inotify.max_user_instances=1024 fs.inotify.max_user_watches=524288 2>/dev/null || true
  mount --make-rshared / # else containers do not see the kubelet's mounts
  mkdir -p "$STATE"/{cni/net.d,kubelet,pod-logs,volumes}
  chmod 755 "$STATE"
}

start_containerd() {
  put "$STATE/cni/net.d/10-pods.conflist" << JSON
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$STATE/cni/addresses", "ranges": [[{"subnet": "$POD_CIDR"}]],
            "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
JSON
  put "$STATE/containerd.toml" << TOML
version = 2
root = "$STATE/containerd"
state = "$RUN/containerd"
[grpc]
address = "$RUN/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "e2e.invalid/pause:1"
# Where root lacks CAP_SYS_RESOURCE, runc dies of lowering a score.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "$STATE/cni/net.d"
TOML
  start containerd containerd --config "$STATE/containerd.toml"
}

import_images() { # imports each image of `build` once
  local tar seen
  ready 30 containerd in_containerd version
  mkdir -p "$STATE/imported"
  for tar in "$IMAGES"/*.tar; do
    seen=$STATE/imported/${tar##*/}
    [ "$tar" -nt "$seen" ] || continue
    in_containerd images import "$tar" > /dev/null || fail "containerd does not take $tar: remove it and run $HERE/build"
    touch "$seen"
  done
}

start_kubelet() { # start_kubelet ADDRESS PORT
  local resolver=/etc/resolv.conf
  # Pods do not reach a stub resolver on the machine's loopback.
  [ ! -e /run/systemd/resolve/resolv.conf ] || resolver=/run/systemd/resolve/resolv.conf
  certificate ca "kubelet-server-$1" "/O=system:nodes/CN=system:node:$NODE" serverAuth "DNS:$NODE,IP:$1"
  certificate ca kubelet "/O=system:nodes/CN=system:node:$NODE" clientAuth
  kubeconfig "$PKI/kubelet.kubeconfig" kubelet "$2"
  put "$STATE/kubelet.yaml" << YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$RUN/containerd.sock
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $PKI/kubelet-server-$1.crt
tlsPrivateKeyFile: $PKI/kubelet-server-$1.key
healthzPort: 0
clusterDomain: cluster.local
clusterDNS: [$SERVICE_DNS_IP]
resolvConf: $resolver
podLogsDir: $STATE/pod-logs
failSwapOn: false
# Either version of cgroups, with systemd or without.
failCgroupV1: false
cgroupDriver: cgroupfs
# How full the machine's disk is, is not for this node to act on.
evictionHard: {}
imageGCHighThresholdPercent: 100
YAML
  start kubelet kubelet --config "$STATE/kubelet.yaml" --kubeconfig "$PKI/kubelet.kubeconfig" \
    --root-dir "$STATE/kubelet" --cert-dir "$STATE/kubelet/pki" --hostname-override "$NODE" --node-ip "$1"
}

start_proxy() { # start_proxy PORT
  certificate ca kube-proxy /CN=system:kube-proxy clientAuth
  kubeconfig "$PKI/kube-proxy.kubeconfig" kube-proxy "$1"
  put "$STATE/kube-proxy.yaml" << YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $PKI/kube-proxy.kubeconfig}
mode: nftables
clusterCIDR: $POD_CIDR
hostnameOverride: $NODE
# Zero: leave the kernel's limits of connections alone.
conntrack: {maxPerCore: 0, min: 0}
YAML
  start kube-proxy kube-proxy --config "$STATE/kube-proxy.yaml"
}

start_storage() { # the provisioner of the StorageClass in manifests/storage.yaml
  put "$STATE/storage.json" << JSON
{"nodePathMap": [{"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": ["$STATE/volumes"]}]}
JSON
  start storage local-path-provisioner start --config "$STATE/storage.json" --kubeconfig "$KUBECONFIG" \
    --namespace kube-system --configmap-name local-path-config --service-account-name default --helper-image e2e.invalid/toolbox:1
}
