// How a tenant's file is kept: limits, waits, and whom to tell of what.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "memory/model/consolidation.h"
#include "memory/model/quota.h"
#include "memory/model/retention.h"
#include "memory/store/traces.h"

namespace memory {

class Embedder;
class RemoteEmbedder;
class ResidentBudget;
class SpaceGuard;
class SpoolBudget;

struct StoreOptions {
  int64_t dedup_window_ms = 15 * 60 * 1000;
  int64_t idempotency_ms = 7 * 24 * 3'600'000LL;  // how long keys are kept
  int64_t query_deadline_ms = 250;                // then a search answers with what it has
  int64_t read_timeout_ms = 5000;                 // then any read ends, with kUnavailable
  size_t readers = 4;                             // connections that read, at most
  size_t write_queue = 1024;                      // writes that may wait; more are refused
  // Memory for the words of the projects that are asked most; 0: everything is found on the disk.
  // Stores of one `index_budget` share what it has; null: a store has `index_bytes` of its own.
  size_t index_bytes = 8 << 20;
  std::shared_ptr<ResidentBudget> index_budget;
  // Makes the vectors of rows and of questions; null: words alone are searched, and no row gets
  // one.
  std::shared_ptr<const Embedder> embedder;
  // Goes before it where it is there in time and most rows have its vectors; null: nobody is asked.
  std::shared_ptr<RemoteEmbedder> remote;
  bool index_at_once = false;  // before the first answer instead of in the background: for tests
  std::chrono::milliseconds index_idle{20};     // without writes: new rows go into the file's index
  std::chrono::milliseconds index_wait{2000};   // of a search for that; then it goes without them
  RetentionRules retention;                     // of projects without rules of their own
  int64_t keep_used_ms = 7 * 24 * 3'600'000LL;  // what was used since is not removed
  int64_t working_memory_ttl_ms = 24 * 3'600'000LL;  // after its last use
  int64_t checkpoints_kept = 3;                      // of a conversation
  int64_t deleted_ms = 30 * 24 * 3'600'000LL;        // deleted and hidden rows stay so long
  // Says what is over, rows and reads; outlives the store.
  const base::Clock* clock = &base::SystemClock();
  // A read was ended or refused: by "read-timeout" or "readers". Any thread.
  std::function<void(const char* limit)> on_read_cut_off;
  // A sync failed: nothing is acknowledged from then on; the program must end. May be called again.
  std::function<void(const base::Error&)> on_sync_failure;
  // A call met damage in the file of this path; it was answered with an error. Any thread.
  std::function<void(const std::string& path, const base::Error&)> on_damage;
  // From a hard delete until its words begin to be erased from the file, so that many deletes share
  // the work, and who was told how many are done.
  std::chrono::milliseconds erase_after{10'000};
  std::function<void(int64_t deletes)> on_erased;
  // Of the file's log. Readers that hold a longer one are ended, where they can be, and writes are
  // refused with kUnavailable until it is short again. 0: no limit.
  int64_t max_log_bytes = 64 << 20;
  StrengthRules strength;      // how traces fade, and what a retrieval gives them
  TraceWeights trace_weights;  // of a search for traces
  ConsolidationRules consolidation;
  bool derives = false;  // each run of consolidation is to get insights (memory/derive)
  TenantQuota quota;     // beyond it only deletes are taken
  // Keeps room on the volume: writes that need some ask it, deletes do not. Outlives the store;
  // null: nobody is asked.
  SpaceGuard* space = nullptr;
  // For uploads and copies of all stores of a volume; null: they are not bounded.
  std::shared_ptr<SpoolBudget> spools;
};

}  // namespace memory
