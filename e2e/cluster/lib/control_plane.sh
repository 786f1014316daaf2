# etcd, kube-apiserver, kube-controller-manager and kube-scheduler, for both kinds
# of cluster (the whole one and `up --api-only`). Sourced after pki.sh.

# By address family. The one node has all of the pods' addresses.
declare -A SERVICE_CIDRS=([4]=10.96.0.0/16 [6]=fd00:10:96::/112) SERVICE_API_IPS=([4]=10.96.0.1 [6]=fd00:10:96::1)
declare -A SERVICE_DNS_IPS=([4]=10.96.0.10 [6]=fd00:10:96::a) POD_CIDRS=([4]=10.244.0.0/16 [6]=fd00:10:244::/56)

use_families() { # use_families FAMILY...: 4, 6; a Service and a pod have an address of each, the first one first
  local family
  FAMILIES=("$@") SERVICE_CIDR='' POD_CIDR='' SERVICE_DNS_IP=${SERVICE_DNS_IPS[$1]}
  for family; do
    SERVICE_CIDR+=${SERVICE_CIDR:+,}${SERVICE_CIDRS[$family]}
    POD_CIDR+=${POD_CIDR:+,}${POD_CIDRS[$family]}
  done
}

as_names() { # as_names ADDRESSES: of a certificate
  local address
  for address in ${1//,/ }; do printf ',IP:%s' "$address"; done
}

control_plane_pki() { # control_plane_pki ADDRESSES: the API server's, besides the loopback, with commas
  local names=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
  mkdir -p "$PKI" "$RUN" "$LOG"
  chmod 700 "$PKI"
  authority ca
  authority front-proxy-ca
  # The name contains the addresses: a changed address gets a new certificate.
  certificate ca "apiserver-$1" /CN=kube-apiserver serverAuth \
    "$names,DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:${SERVICE_API_IPS[4]},IP:${SERVICE_API_IPS[6]}$(as_names "$1")"
  certificate ca apiserver-kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client clientAuth
  certificate ca admin /O=system:masters/CN=admin clientAuth
  certificate ca controller-manager /CN=system:kube-controller-manager clientAuth
  certificate ca scheduler /CN=system:kube-scheduler clientAuth
  certificate front-proxy-ca front-proxy-client /CN=front-proxy-client clientAuth
  signing_key
}

start_etcd() { # on sockets in the state folder, so that no port collides
  # etcd requires an advertised port, which no client or member dials here.
  local nobody=http://127.0.0.1:1
  # Without fsync etcd loses data only in a power cut of this machine.
  start etcd etcd --name one --data-dir "$STATE/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "unix://$RUN/etcd.sock" --advertise-client-urls "$nobody" \
    --listen-peer-urls "unix://$RUN/etcd-peer.sock" --initial-advertise-peer-urls "$nobody" \
    --initial-cluster "one=$nobody"
  ready 30 etcd test -S "$RUN/etcd.sock"
}

start_apiserver() { # start_apiserver ADDRESSES PORT FLAG...
  local addresses=$1 port=$2; shift 2
  start kube-apiserver kube-apiserver --etcd-servers "unix://$RUN/etcd.sock" \
    --secure-port "$port" --advertise-address "${addresses%%,*}" --cert-dir "$RUN" \
    --tls-cert-file "$PKI/apiserver-$addresses.crt" --tls-private-key-file "$PKI/apiserver-$addresses.key" \
    --client-ca-file "$PKI/ca.crt" --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --allow-privileged=true --service-cluster-ip-range "$SERVICE_CIDR" --profiling=false \
    --service-account-issuer https://kubernetes.default.svc.cluster.local \
    --service-account-key-file "$PKI/sa.pub" --service-account-signing-key-file "$PKI/sa.key" \
    --requestheader-client-ca-file "$PKI/front-proxy-ca.crt" --requestheader-allowed-names front-proxy-client \
    --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
    --requestheader-extra-headers-prefix X-Remote-Extra- \
    --proxy-client-cert-file "$PKI/front-proxy-client.crt" --proxy-client-key-file "$PKI/front-proxy-client.key" \
    "$@"
}

start_controller_manager() { # start_controller_manager PORT FLAG...
  kubeconfig "$PKI/controller-manager.kubeconfig" controller-manager "$1"; shift
  start kube-controller-manager kube-controller-manager --kubeconfig "$PKI/controller-manager.kubeconfig" \
    --service-account-private-key-file "$PKI/sa.key" --root-ca-file "$PKI/ca.crt" \
    --cluster-signing-cert-file "$PKI/ca.crt" --cluster-signing-key-file "$PKI/ca.key" \
    --use-service-account-credentials --leader-elect=false --secure-port 0 "$@"
}

start_scheduler() { # start_scheduler PORT
  kubeconfig "$PKI/scheduler.kubeconfig" scheduler "$1"
  start kube-scheduler kube-scheduler --kubeconfig "$PKI/scheduler.kubeconfig" --leader-elect=false --secure-port 0
}

api_ready() { kubectl get --raw /readyz; }
