# The folders. Programs and images are cached by a hash of `build` and the pins,
# so that checkouts share them, and a changed pin causes a new build. Sourced.

# shellcheck source=base.sh
. "$HERE/lib/base.sh"

pin() { # pin TOOL MODULE: the version that the tool's go.mod names
  sed -nE "s#^(require )?[[:space:]]*$2 (v[^ ]+).*#\2#p" "$HERE/tools/$1/go.mod" | head -1
}

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/agent-memory-e2e
KUBERNETES=$(pin kubernetes k8s.io/kubernetes)
VERSION=$KUBERNETES-$(cat "$HERE"/build "$HERE"/tools/*/go.{mod,sum} | sha256sum | cut -c1-8)
BIN=$CACHE/$VERSION/bin
IMAGES=$CACHE/$VERSION/images
STATE=${AGENT_MEMORY_E2E_STATE:-$CACHE/$VERSION/state}

settle() { # settle FOLDER: makes it the state folder, and sets the paths inside it
  STATE=$(realpath -m "$1")
  RUN=$STATE/run LOG=$STATE/log PKI=$STATE/pki
  KUBECONFIG=$STATE/kubeconfig
  export KUBECONFIG
}
settle "$STATE"
PATH=$BIN:$PATH
