// A round of retention, for every engine: what is removed, restored, hidden because it expired, and
// hidden above a limit of rows, in this order and in small transactions.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "lib/base/process/clock.h"
#include "memory/rows/sweep.h"

namespace memory {

// The counts of one round of retention.
struct Swept {
  int64_t lapsed = 0, capped = 0;     // rows that were hidden
  int64_t restored = 0;               // hidden rows that longer rules restored
  int64_t purged = 0, revisions = 0;  // hidden and deleted rows, and earlier texts, removed
  int64_t keys = 0;                   // Idempotency-Keys removed
  int64_t cap_exempt = 0;             // rows above a cap that stay because they were used
  // Expired ones that were removed, by kind of cell; and conversations' "working_memory".
  std::map<std::string, int64_t> expired = {};
};

// What a round leaves to the next one. One thread sweeps; any thread sets `rules_changed`.
struct SweepState {
  SweepPlace place;
  int64_t swept_ms = 0;
  std::atomic<bool> rules_changed{true};  // since the last round: hidden rows may come back
};

// What a round obeys.
struct Sweeping {
  SweepHost& host;
  const base::Clock& clock;
  const std::string& salt;
  std::function<std::shared_ptr<const RetentionPolicy>()> policy;  // in force
  int64_t deleted_ms = 0;      // from hiding a row to its removal
  int64_t idempotency_ms = 0;  // of an Idempotency-Key
  int64_t keep_used_ms = 0;    // for so long a use protects a row
  bool uses_kept = true;       // false: uses could not be stored, so that no cap evicts rows
};

// One round over observations and Idempotency-Keys; `stop` ends it early, and the next continues.
base::Result<Swept> SweepObservations(const Sweeping& sweeping, SweepState& state,
                                      std::stop_token stop);

}  // namespace memory
