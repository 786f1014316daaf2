# Writes a folder as an image in the format of `docker save`, without an engine
# or a registry; the same files give the same bytes. Sourced.

archive() { # archive NAME FOLDER CONFIG-JSON OUTPUT
  local name=$1 folder=$2 config=$3 output=$4 work diff
  work=$(mktemp -d "${output%/*}/archive.XXXXXX")
  tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$work/layer.tar" .
  diff=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
  printf '{"architecture": "%s", "os": "linux", "created": "1970-01-01T00:00:00Z", "config": %s, "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}' \
    "$(dpkg --print-architecture)" "$config" "$diff" > "$work/config.json"
  printf '[{"Config": "config.json", "RepoTags": ["%s"], "Layers": ["layer.tar"]}]' "$name" > "$work/manifest.json"
  tar -C "$work" -cf "$work/image.tar" manifest.json config.json layer.tar
  mv "$work/image.tar" "$output"
  rm -rf "$work"
}
