# Checks the machine's features that the node needs, by using them before any
# process starts: a missing one is an error line with its remedy. Sourced.

check_machine() {
  [ "$(uname -s)" = Linux ] || fail "the local cluster needs Linux: use kind (up --kind) elsewhere"
  [ "$(id -u)" = 0 ] || fail "the local cluster needs root (it makes network devices and mounts): run it with sudo"
  mountpoint -q / || fail "this is a chroot, out of which containers would lead: use e2e/packaging/fresh-debian, or a machine of its own"
  local name
  for name in containerd runc ctr nft iptables conntrack openssl ip python3 flock unshare /usr/lib/cni/bridge; do
    command -v "$name" > /dev/null || fail "'$name' is missing: run 'scripts/deps cluster'"
  done
  # A socket's path has at most 108 bytes; containerd has the longest one here.
  [ ${#STATE} -le 80 ] || fail "the state folder's path is too long for a socket ($STATE): set AGENT_MEMORY_E2E_STATE to a shorter one"
}

# Uses each feature once, in a namespace that ends with the probe.
check_kernel() {
  local missing=() probe=$STATE/probe
  modprobe -qa overlay br_netfilter nf_tables nf_conntrack veth bridge 2>/dev/null || true
  mkdir -p "$probe"/{lower,upper,work,merged}
  unshare -m sh -c "cd '$probe' && mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none merged" 2>/dev/null ||
    missing+=("overlayfs on the file system of $STATE")
  rm -rf "$probe"
  unshare -n ip link add name probe0 type veth peer name probe1 2>/dev/null || missing+=("veth (CONFIG_VETH)")
  unshare -n ip link add name probe0 type bridge 2>/dev/null || missing+=("bridge (CONFIG_BRIDGE)")
  [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || missing+=("br_netfilter (CONFIG_BRIDGE_NETFILTER)")
  unshare -n nft -f - 2>/dev/null << 'NFT' || missing+=("nf_tables with nat, masquerade, fib, numgen (CONFIG_NF_TABLES, CONFIG_NFT_*)")
table ip probe {
  chain nat {
    type nat hook postrouting priority 100;
    ip saddr 192.0.2.1 masquerade
  }
  chain pre {
    type nat hook prerouting priority -100;
    fib daddr type local numgen random mod 2 vmap { 0 : accept, 1 : return }
    ct state new dnat to 192.0.2.2
  }
}
NFT
  # For IPv6 see ipv6_works.
  unshare -n iptables -t nat -A POSTROUTING -m comment --comment x -j MASQUERADE 2>/dev/null ||
    missing+=("iptables nat (CONFIG_NFT_COMPAT, CONFIG_NETFILTER_XT_MATCH_COMMENT)")
  local controller
  for controller in memory cpu pids cpuset; do
    grep -qw "$controller" /sys/fs/cgroup/cgroup.controllers 2>/dev/null || [ -d "/sys/fs/cgroup/$controller" ] ||
      missing+=("the cgroup controller '$controller'")
  done
  [ ${#missing[@]} = 0 ] || fail "this kernel lacks $(printf '%s; ' "${missing[@]}")use a kernel that has it, or kind on another machine (up --kind)"
}

check_ports() { # check_ports PORT...: each must be free, and so must be the bridge
  local port holder old
  # A checkout with other pins has its own state, but the machine has only one bridge.
  for old in "$CACHE"/*/state; do
    [ "$old" = "$STATE" ] || ! (settle "$old" && alive kube-apiserver) ||
      fail "the cluster of another version runs: stop it with '$HERE/down --state $old'"
  done
  for port; do
    holder=$(ss -Hltnp "sport = :$port" | sed -nE 's/.*users:\(\("([^"]+)",pid=([0-9]+).*/\1 (pid \2)/p' | head -1)
    [ -z "$holder" ] || fail "port $port is in use by $holder: stop it, or set AGENT_MEMORY_E2E_API_PORT when it is the API's"
  done
  # If $STATE has addresses of pods, cni0 is left from this cluster, which was killed.
  if [ ! -d "$STATE/cni/addresses" ] && ip link show cni0 > /dev/null 2>&1; then
    fail "the network device cni0 exists: another cluster runs here; stop that first (or 'ip link delete cni0' when it is a leftover)"
  fi
}

check_disk() { # check_disk GIGABYTES
  local free; free=$(df -Pk "$STATE" | awk 'END {print int($4 / 1048576)}')
  [ "$free" -ge "$1" ] || fail "too little disk: $1 GB are needed under $STATE, $free GB are free"
}
