# Builds images with Docker if its daemon answers, else with buildah and a
# separate store under the cache. Sourced after places.sh.

BASE=docker.io/library/debian:bookworm-slim

if docker info > /dev/null 2>&1; then ENGINE=docker; else ENGINE=buildah; fi

bh() { buildah --storage-driver overlay --root "$CACHE/buildah/root" --runroot "$CACHE/buildah/run" "$@"; }

engine_ready() {
  [ $ENGINE = buildah ] || return 0
  command -v buildah > /dev/null || fail "neither Docker nor buildah is here: run 'scripts/deps cluster'"
  [ "$(id -u)" = 0 ] || fail "building images with buildah needs root: run it with sudo"
  mkdir -p "$CACHE/buildah"
}

# Pulls the base image for buildah; if no registry answers, builds the image with
# debootstrap from the mirror of this machine.
base_image() {
  [ $ENGINE = buildah ] || return 0
  ! bh inspect --type image "$BASE" > /dev/null 2>&1 || return 0
  say "fetching $BASE"
  ! timeout 60 buildah --storage-driver overlay --root "$CACHE/buildah/root" --runroot "$CACHE/buildah/run" \
    pull -q --retry 0 "$BASE" > /dev/null 2>&1 || return 0
  say "no registry gives it: making it with debootstrap"
  local sources mirror root container log=$CACHE/debootstrap.log
  sources=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 ~ /^bookworm/ && $3 == "main" {print "deb", $1, $2, $3}' | sort -u)
  mirror=$(awk '$3 == "bookworm" {print $2}' <<< "$sources" | head -1)
  root=$(mktemp -d "$CACHE/debootstrap.XXXXXX")
  debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} > "$log" 2>&1 ||
    { rm -rf "$root"; fail "neither a registry nor ${mirror:-a Debian mirror} gives $BASE: $(tail -1 "$log") (log: $log)"; }
  [ -z "$sources" ] || echo "$sources" > "$root/etc/apt/sources.list"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
  container=$(bh from scratch)
  bh add -q "$container" "$root" / > /dev/null
  bh config --cmd /bin/bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  bh commit -q --rm "$container" "$BASE" > /dev/null
  rm -rf "$root"
}

build_image() { # build_image NAME DOCKERFILE CONTEXT; E2E_BUILD_ARGS: more arguments for the engine
  local log; log=$(mktemp)
  say "building $1 (log: $log)"
  # shellcheck disable=SC2086
  case $ENGINE in
    docker) docker build -t "$1" -f "$2" ${E2E_BUILD_ARGS-} "$3" ;;
    buildah) bh bud --layers --pull-never --isolation chroot --network host -t "$1" -f "$2" ${E2E_BUILD_ARGS-} "$3" ;;
  esac > "$log" 2>&1 || { tail -20 "$log" >&2; fail "$1 does not build from $2: the end of its log is above, all of it in $log"; }
  grep '^pack-rootfs:' "$log" >&2 || true
  rm -f "$log"
}

save_image() { # save_image NAME FILE: in the format of `docker save`
  rm -f "$2"
  case $ENGINE in
    docker) docker save -o "$2" "$1" ;;
    buildah) bh push -q "$1" "docker-archive:$2:$1" > /dev/null ;;
  esac
}
