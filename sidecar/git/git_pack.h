// Reads an object from a pack by its index (version 2), resolving deltas. Only reads; keeps the
// index open, and no bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sidecar/git/git_folder.h"

namespace sidecar {

struct GitObject {
  std::string type;   // commit, tree, blob, tag
  std::string bytes;  // without the header
};

// What may still be read for one commit, whatever its repository has.
struct GitRoom {
  size_t bytes;           // of files and of the texts that are made of them, deltas included
  size_t steps = 50'000;  // searches of an index, and entries of packs

  bool Step() { return steps > 0 && steps-- > 0; }
  bool Take(uint64_t count) {
    if (count > bytes) return false;
    bytes -= count;
    return true;
  }
};

class GitPack {
 public:
  // `name`: objects/pack/<name>.idx and .pack. nullopt: missing, or an index of another version.
  // `common` must outlive it.
  static std::optional<GitPack> Open(const GitFolder& common, const std::string& name,
                                     size_t id_bytes);

  // Of its entry in the pack. nullopt: not there, damaged, or no step is left.
  std::optional<uint64_t> OffsetOf(std::string_view id, GitRoom& room) const;
  // Takes the bytes of the object, and of all that it is made of, from `room`. nullopt: damaged, or
  // more than that.
  std::optional<GitObject> Read(uint64_t offset, GitRoom& room) const;

 private:
  GitPack(const GitFolder& common, std::string name, GitFile index, size_t id_bytes)
      : common_(&common), name_(std::move(name)), index_(std::move(index)), id_bytes_(id_bytes) {}
  std::optional<uint64_t> Number(uint64_t offset, size_t bytes) const;  // of the index

  const GitFolder* common_;
  std::string name_;
  GitFile index_;
  size_t id_bytes_;
  uint64_t count_ = 0;  // of objects
};

// The text that a delta makes of its base. nullopt: damaged, or over `most` bytes. Pure.
std::optional<std::string> ApplyDelta(std::string_view base, std::string_view delta, size_t most);

}  // namespace sidecar
