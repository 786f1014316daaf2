// Arguments and results of imports of observations.
#pragma once

#include <cstdint>
#include <optional>

#include "memory/rows/reads.h"

namespace memory {

// The outcome for a row of an import, and the number of its observation here.
struct Imported {
  enum Outcome {
    kNew,
    kSkipped,
    kSkippedDeleted,
    kRaised,  // it existed with class import, and has class user now
  };
  Outcome outcome = kNew;
  int64_t observation = 0;  // 0: a session, or not stored
  bool added = false;       // a new row, not one that came back
};

struct ImportOptions {
  bool dedup = true;        // skips a row that exists under another id
  bool unite_tags = false;  // adds the tags of imported rows to existing ones
  bool vouched = false;     // rows of class import get class user, also existing ones
  bool restore = false;     // restores rows that were deleted here; else kSkippedDeleted
  // Of the request. A row without a time equals only what it sees.
  std::optional<Viewer> viewer = {};
  // The time of rows without one. Such a row equals a row that differs only in its time.
  int64_t now_ms = 0;
};

}  // namespace memory
