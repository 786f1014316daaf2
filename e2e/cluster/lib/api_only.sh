# `up --api-only`: an API server with its etcd on a free port, for tests of
# admission, RBAC, watches and tokens that need no node. Any number in parallel,
# without root or containers. Sourced after control_plane.sh.

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

api_only() { # api_only WITH_CONTROLLER_MANAGER WITH_AUDIT WITH_SCHEDULER FEATURE_GATES
  local attempt port audit=() gates=()
  mkdir -p "$STATE"
  use_families 4 6 # of Services; there is no node
  control_plane_pki 127.0.0.1
  start_etcd
  if [ "$2" = yes ]; then
    put "$RUN/audit.yaml" <<< \
      '{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [{"level": "Metadata"}]}'
    audit=(--audit-policy-file "$RUN/audit.yaml" --audit-log-path "$LOG/audit.log")
  fi
  [ -z "$4" ] || gates=(--feature-gates "$4")
  # Between choosing a port and binding it, another program may take it.
  for attempt in 1 2 3; do
    port=$(cat "$STATE/port" 2>/dev/null || free_port)
    echo "$port" > "$STATE/port"
    kubeconfig "$KUBECONFIG" admin "$port"
    start_apiserver 127.0.0.1 "$port" --bind-address 127.0.0.1 --endpoint-reconciler-type none "${audit[@]}" "${gates[@]}"
    if await 60 api_answers_or_died && alive kube-apiserver; then break; fi
    grep -q 'address already in use' "$LOG/kube-apiserver.log" && [ "$attempt" != 3 ] ||
      fail "kube-apiserver does not become ready: $(last_words kube-apiserver)"
    stop kube-apiserver
    rm -f "$STATE/port" "$LOG/kube-apiserver.log"
  done
  [ "$1" = no ] || start_controller_manager "$port"
  [ "$3" = no ] || start_scheduler "$port"
}

api_answers_or_died() { ! alive kube-apiserver || api_ready; }

follow() { # follow PID: stops and removes this server when that process ends
  # shellcheck disable=SC2016
  start follow bash -c 'while kill -0 "$1"; do sleep 0.5; done; exec "$2" --state "$3" --purge' \
    follow "$1" "$HERE/down" "$STATE"
}
