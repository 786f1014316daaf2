# etcd, kube-apiserver, kube-controller-manager and kube-scheduler, for both kinds
# of cluster (the whole one and `up --api-only`). Sourced after pki.sh.

SERVICE_CIDR=10.96.0.0/16 SERVICE_API_IP=10.96.0.1 SERVICE_DNS_IP=10.96.0.10
POD_CIDR=10.244.0.0/16 # of the cluster; the one node has all of it

control_plane_pki() { # control_plane_pki ADDRESS: the API server's address besides the loopback
  local names=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
  mkdir -p "$PKI" "$RUN" "$LOG"
  chmod 700 "$PKI"
  authority ca
  authority front-proxy-ca
  # The name contains the address: a changed address gets a new certificate.
  certificate ca "apiserver-$1" /CN=kube-apiserver serverAuth \
    "$names,DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:$SERVICE_API_IP,IP:$1"
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

start_apiserver() { # start_apiserver ADDRESS PORT FLAG...
  local address=$1 port=$2; shift 2
  start kube-apiserver kube-apiserver --etcd-servers "unix://$RUN/etcd.sock" \
    --secure-port "$port" --advertise-address "$address" --cert-dir "$RUN" \
    --tls-cert-file "$PKI/apiserver-$address.crt" --tls-private-key-file "$PKI/apiserver-$address.key" \
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
