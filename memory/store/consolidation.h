// Consolidation of traces: what fades is hidden, what says the same is merged, what was found
// together is linked, what is old and often needed is made lasting. Each run is logged and can be
// undone. No engine shows here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/model/consolidation.h"
#include "memory/store/traces.h"

namespace memory {

inline constexpr size_t kMaxRunsListed = 100;

struct ConsolidationCounts {
  int64_t pruned = 0, merged = 0, strengthened = 0;
  int64_t derived = 0;  // always 0: insights need a model
  int64_t compacted = 0;
};

struct ConsolidationRun {
  std::string id;  // empty: nothing ran
  ConsolidationCounts counts;
  int64_t started_ms = 0, duration_ms = 0;
  bool dry_run = false;
  bool busy = false;     // another run goes on: nothing was done
  bool partial = false;  // there are more traces than a run looks at
  std::optional<int64_t> undone_ms;
};

struct Original {
  std::optional<std::string> content;  // none: it was never archived, or is damaged
  std::optional<int64_t> archived_ms;
};

// Any thread. Traces of other contexts, of the organization and observations that are no traces
// stay as they are; so do a user's traces when `writer` is another. Errors: kUnavailable, kFull.
class Consolidation {
 public:
  virtual ~Consolidation() = default;

  // Changes are committed in small batches while others write: an error leaves those before it,
  // which the run's undo takes back.
  virtual base::Result<ConsolidationRun> Reflect(const TraceContext& context, bool dry_run,
                                                 const std::string& writer) = 0;
  // Of this context, the newest first.
  virtual base::Result<std::vector<ConsolidationRun>> Runs(const TraceContext& context,
                                                           size_t limit) = 0;
  // → what was taken back; what was changed since stays. nullopt: there is no such run.
  virtual base::Result<std::optional<ConsolidationCounts>> Undo(const TraceContext& context,
                                                                const std::string& run) = 0;
  // Logs the access. nullopt: there is no such trace.
  virtual base::Result<std::optional<Original>> Rehydrate(const TraceContext& context,
                                                          const std::string& trace) = 0;
};

}  // namespace memory
