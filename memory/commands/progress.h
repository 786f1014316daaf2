// Formats the progress of an export or import as one line: a bar, amounts, speed, and an estimate.
// Pure.
#pragma once

#include <cstdint>
#include <string>

namespace memory {

struct ProgressFigures {
  int64_t done = 0, total = 0;  // bytes, or memories; total 0: unknown
  bool memories = false;
  int64_t bytes = 0;  // moved, if `done` counts memories
  int64_t elapsed_ms = 0;
};

// "45% [#########-----------] 120.0 MiB of 266.0 MiB, 14.2 MiB/s, about 10 s left"; `bar`: with the
// bar. Without a total: amounts and speed alone.
std::string ProgressLine(const ProgressFigures& figures, bool bar);

std::string ShownBytes(int64_t bytes);  // "14.2 MiB"
std::string ShownTime(int64_t ms);      // "10 s", "3 min 20 s", "2 h 5 min"

}  // namespace memory
