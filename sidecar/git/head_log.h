// The log of HEAD of a worktree (reflog), which has each commit that was made there. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sidecar {

struct HeadMove {
  std::string before, after;  // ids in raw bytes
  int64_t at_s = 0;           // Unix time
  bool commits = false;       // by `git commit`
  bool amends = false;
};

// The moves in a log's text, oldest first; lines that cannot be read are left out.
std::vector<HeadMove> ReadHeadLog(std::string_view text);

}  // namespace sidecar
