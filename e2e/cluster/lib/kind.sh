# `up --kind`: the same cluster with kind, for machines with a container engine
# (and any operating system). Sourced.

KIND_NAME=agent-memory-e2e

kind_needs() {
  docker info > /dev/null 2>&1 ||
    fail "no container engine answers ('docker info' fails), which kind needs: start Docker, or use 'up' without --kind (Linux, root)"
  command -v kind > /dev/null ||
    fail "kind is not installed: install it (kind.sigs.k8s.io), or use 'up' without --kind (Linux, root)"
}

kind_up() {
  kind_needs
  settle "$CACHE/kind"
  mkdir -p "$STATE"
  if ! kind get clusters 2>/dev/null | grep -qx "$KIND_NAME"; then
    # The node image decides the version of Kubernetes.
    kind create cluster --name "$KIND_NAME" --config "$HERE/kind.yaml" --kubeconfig "$KUBECONFIG" --wait 180s \
      ${AGENT_MEMORY_E2E_NODE_IMAGE:+--image "$AGENT_MEMORY_E2E_NODE_IMAGE"} >&2 ||
      fail "kind could not make the cluster (its words are above)"
  fi
  kind export kubeconfig --name "$KIND_NAME" --kubeconfig "$KUBECONFIG" >&2
  echo "$KUBECONFIG"
}

kind_down() {
  kind_needs
  kind delete cluster --name "$KIND_NAME" >&2
}
