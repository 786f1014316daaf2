# The node: containerd, the pods' network, kubelet, kube-proxy, and the two
# daemons for storage and NetworkPolicy that run beside them. Sourced after
# control_plane.sh.

NODE=node-1 # not the hostname, since the state must survive a renamed machine

in_containerd() { ctr --address "$RUN/containerd.sock" -n k8s.io "$@"; }

node_address() { # node_address 4|6: prints the address at which pods reach this machine, if it has one
  local address far=192.0.2.1
  [ "$1" = 4 ] || far=2001:db8::1
  address=$(ip "-$1" route get $far 2>/dev/null | sed -nE 's/.* src ([0-9a-f.:]+).*/\1/p')
  # Not those of a cluster that runs.
  [ -n "$address" ] || address=$(ip "-$1" -o address show scope global | grep -v ' cni0 ' | sed -nE '1s/.* inet6? ([0-9a-f.:]+).*/\1/p')
  echo "$address"
}

node_addresses() { # prints those of FAMILIES, with commas
  local family address all=''
  for family in "${FAMILIES[@]}"; do
    address=$(node_address "$family")
    [ -n "$address" ] || fail "this machine has no IPv$family address besides the loopback: give a network device one"
    all+=${all:+,}$address
  done
  echo "$all"
}

choose_families() { # those of the setting, of the kept state, else all that this machine has, IPv6 first
  local chosen=${AGENT_MEMORY_E2E_FAMILIES-} kept='' why=''
  [ ! -s "$STATE/families" ] || kept=$(< "$STATE/families")
  [ -z "$chosen" ] || [ -z "$kept" ] || [ "$chosen" = "$kept" ] ||
    fail "the kept cluster has the address families '$kept', not '$chosen': remove it with '$HERE/down --purge'"
  chosen=${chosen:-$kept}
  if [ -z "$chosen" ]; then
    why=$(ipv6_works) && chosen='6 4' || { chosen=4; say "IPv4 alone: $why"; }
  fi
  case $chosen in 4 | 6 | '4 6' | '6 4') ;; *) fail "AGENT_MEMORY_E2E_FAMILIES is '$chosen', not one of '6 4', '4 6', 4, 6" ;; esac
  # shellcheck disable=SC2086
  use_families $chosen
}

keep_families() { echo "${FAMILIES[*]}" > "$STATE/families"; }

ipv6_works() { # succeeds if the machine has what pods with IPv6 need, else prints what it lacks
  [ -e /proc/net/if_inet6 ] || { echo "the kernel has no IPv6 (/proc/net/if_inet6 is not there)"; return 1; }
  [ "$(sysctl -n net.ipv6.conf.all.disable_ipv6)" = 0 ] || { echo "net.ipv6.conf.all.disable_ipv6 is 1"; return 1; }
  [ -n "$(node_address 6)" ] || { echo "no network device has a global IPv6 address"; return 1; }
  unshare -n ip6tables -t nat -A POSTROUTING -m comment --comment x -j MASQUERADE 2>/dev/null ||
    { echo "the kernel has no NAT for IPv6 (ip6tables -t nat)"; return 1; }
}

prepare_host() {
  sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1
  [[ " ${FAMILIES[*]} " != *" 6 "* ]] || sysctl -qw net.ipv6.conf.all.forwarding=1 net.bridge.bridge-nf-call-ip6tables=1
  # Kubelet and containerd watch many files; if this is refused, the default often suffices.
  sysctl -qw fs.inotify.max_user_instances=1024 fs.inotify.max_user_watches=524288 2>/dev/null || true
  mount --make-rshared / # else containers do not see the kubelet's mounts
  mkdir -p "$STATE"/{cni/net.d,kubelet,pod-logs,volumes}
  chmod 755 "$STATE"
}

start_containerd() {
  local family ranges='' routes=''
  for family in "${FAMILIES[@]}"; do
    ranges+="${ranges:+, }[{\"subnet\": \"${POD_CIDRS[$family]}\"}]"
    [ "$family" = 4 ] && routes+="${routes:+, }{\"dst\": \"0.0.0.0/0\"}" || routes+="${routes:+, }{\"dst\": \"::/0\"}"
  done
  put "$STATE/cni/net.d/10-pods.conflist" << JSON
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$STATE/cni/addresses", "ranges": [$ranges],
            "routes": [$routes]}},
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

start_kubelet() { # start_kubelet ADDRESSES PORT
  local resolver=/etc/resolv.conf
  # Pods do not reach a stub resolver on the machine's loopback.
  [ ! -e /run/systemd/resolve/resolv.conf ] || resolver=/run/systemd/resolve/resolv.conf
  certificate ca "kubelet-server-$1" "/O=system:nodes/CN=system:node:$NODE" serverAuth "DNS:$NODE$(as_names "$1")"
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
