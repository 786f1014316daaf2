// The objects of one repository by id, loose or packed, within a number of bytes for all together.
// Alternates are not read. Ids are not checked against contents.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/git/git_folder.h"
#include "sidecar/git/git_pack.h"

namespace sidecar {

class GitObjects {
 public:
  // `common` must outlive it. `most_bytes`: of all that is read, loose files as they are and texts
  // without compression, deltas included.
  GitObjects(const GitFolder& common, size_t most_bytes) : common_(common), room_{most_bytes} {}

  // `id` in raw bytes: 20 of SHA-1, 32 of SHA-256. nullopt: another type, not there, damaged, or
  // over the limits.
  std::optional<std::string> Read(std::string_view id, std::string_view type);

 private:
  std::optional<GitObject> ReadLoose(const GitFile& file);
  std::optional<GitObject> ReadPacked(std::string_view id);

  const GitFolder& common_;
  GitRoom room_;
  size_t reads_ = 0;
  bool listed_ = false;         // the names of packs
  std::vector<GitPack> packs_;  // the one that had the last object first
};

// "1a2b" ↔ two bytes; BytesOfHex of anything else is empty. Pure.
std::string BytesOfHex(std::string_view hex);
std::string HexOf(std::string_view bytes);

}  // namespace sidecar
