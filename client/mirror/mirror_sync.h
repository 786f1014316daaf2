// One sync of a project's memories and the files of its mirror, both ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/memory/calls.h"
#include "client/mirror/mirror_folder.h"
#include "client/mirror/mirror_state.h"

namespace client {

inline constexpr size_t kMostMirrored = MirrorFolder::kMostFiles;  // memories of a project

struct MirrorOptions {
  std::string project;
  bool take_in = false;    // files that the first sync finds become memories
  bool hide_many = false;  // although most files are gone
};

struct MirrorReport {
  int64_t written = 0, removed = 0;              // files
  int64_t created = 0, changed = 0, hidden = 0;  // memories
  std::vector<std::string> problems;             // a line each, for people
  bool Quiet() const {
    return written + removed + created + changed + hidden == 0 && problems.empty();
  }
};

// Brings both sides together, and `state` up to date, also where it fails half-way; a call that was
// killed is made good by the next one. kInvalid: the first sync finds files (take_in), or most
// files are gone (hide_many): nothing was changed; kTooLarge: the project or the folder has too
// many.
base::Result<MirrorReport> SyncMirror(const MemoryCalls& memory, const MirrorFolder& folder,
                                      const MirrorOptions& options, MirrorState& state);

}  // namespace client
