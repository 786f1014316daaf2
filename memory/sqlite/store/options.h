// Options of a tenant's file: limits, waits and callbacks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lib/base/process/aging_clock.h"
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
  int64_t idempotency_ms = 7 * 24 * 3'600'000LL;  // lifetime of Idempotency-Keys
  int64_t query_deadline_ms = 250;                // then a search ranks the matches so far
  int64_t read_timeout_ms = 5000;                 // then any read fails with kUnavailable
  size_t readers = 4;                             // reading connections, at most
  size_t write_queue = 1024;                      // writes that may wait; more are refused
  // Memory for resident indexes of the most queried projects; 0: searches use only the file. Stores
  // with the same `index_budget` share it; null: a store has its own of `index_bytes`.
  size_t index_bytes = 8 << 20;
  std::shared_ptr<ResidentBudget> index_budget;
  // Embeds rows and queries; null: only words are searched, and rows get no vectors.
  std::shared_ptr<const Embedder> embedder;
  // Preferred over `embedder` if it answers in time and most rows have its vectors; may be null.
  std::shared_ptr<RemoteEmbedder> remote;
  bool index_at_once = false;  // the first query builds it, not the background: for tests
  std::chrono::milliseconds index_idle{20};     // without writes, before pending rows are indexed
  std::chrono::milliseconds index_wait{2000};   // of a search for pending rows, at most
  RetentionRules retention;                     // of projects without rules of their own
  int64_t keep_used_ms = 7 * 24 * 3'600'000LL;  // rows used within it are not removed
  int64_t working_memory_ttl_ms = 24 * 3'600'000LL;  // after its last use
  int64_t checkpoints_kept = 3;                      // of a conversation
  int64_t deleted_ms = 30 * 24 * 3'600'000LL;        // how long deleted and hidden rows stay
  // For expiry of rows and deadlines of reads; outlives the store.
  const base::Clock* clock = &base::SystemClock();
  // The clock by which strengths of traces decay, one for all stores of a process: a store that is
  // opened while the wall clock is wrong knows it. Null: one that starts with the store.
  std::shared_ptr<const base::AgingClock> decay_clock;
  // A read was ended or refused: by "read-timeout" or "readers". Any thread.
  std::function<void(const char* limit)> on_read_cut_off;
  // A sync failed: the store acknowledges nothing more; the program must exit. May be called again.
  std::function<void(const base::Error&)> on_sync_failure;
  // A call reported corruption in the file of this path, and failed. Any thread.
  std::function<void(const std::string& path, const base::Error&)> on_damage;
  // The delay from a hard delete to the erasure of its words from the file, to batch deletes; and
  // the callback with the number of erasures.
  std::chrono::milliseconds erase_after{10'000};
  std::function<void(int64_t deletes)> on_erased;
  // Of the WAL. While readers hold a longer one, copies end and writes are refused with
  // kUnavailable. 0: no limit.
  int64_t max_log_bytes = 64 << 20;
  StrengthRules strength;      // decay of traces and the effect of a retrieval
  TraceWeights trace_weights;  // of a search for traces
  ConsolidationRules consolidation;
  bool derives = false;  // each run of consolidation asks for insights (memory/derive)
  TenantQuota quota;     // beyond it only deletes are accepted
  // Reserves space on the volume; admits writes that consume space. Outlives the store; may be
  // null.
  SpaceGuard* space = nullptr;
  // The budget for uploads and copies of all stores of a volume; null: no limit.
  std::shared_ptr<SpoolBudget> spools;
};

}  // namespace memory
