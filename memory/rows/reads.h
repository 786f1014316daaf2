// Values of reads that the rules of rows need, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memory {

// The viewer, if the request names one. Traces (store/traces.h) of another user, Agent or
// conversation are invisible to it.
struct Viewer {
  std::string user, agent, conversation;
};

struct Revision {
  int64_t revision = 0, replaced_ms = 0, written_ms = 0;  // replaced 0: the present one
  std::string type, title, content, origin;
  std::vector<std::string> tags;
};

}  // namespace memory
