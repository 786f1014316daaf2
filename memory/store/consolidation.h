// Consolidation of traces: what fades is hidden, what says the same is merged, what was found
// together is linked, what is old and often needed is made lasting. Each run is logged and can be
// undone. Insights of several traces are derived behind a run. No engine shows here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/model/consolidation.h"
#include "memory/store/traces.h"

namespace memory {

inline constexpr size_t kMaxRunsListed = 100;
inline constexpr const char* kDerivedFrom = "derived_from";  // edges from an insight to its sources
inline constexpr const char* kInsightTag = "insight";

struct ConsolidationCounts {
  int64_t pruned = 0, merged = 0, strengthened = 0;
  int64_t derived = 0;  // insights; a run has them when `derive` says done
  int64_t compacted = 0;
};

struct ConsolidationRun {
  std::string id;  // empty: nothing ran
  ConsolidationCounts counts;
  int64_t started_ms = 0, duration_ms = 0;
  bool dry_run = false;
  bool busy = false;     // another run goes on: nothing was done
  bool partial = false;  // there are more traces than a run looks at
  std::string derive;    // "pending", "done", "skipped, …"
  std::optional<int64_t> undone_ms;
};

struct ClusteredTrace {
  std::string id, content;
};

// A run whose insights are due, with the traces that belong together.
struct DeriveWork {
  int64_t number = 0;  // of the run in its store
  std::string run;
  TraceContext context;
  std::vector<std::vector<ClusteredTrace>> clusters;
};

struct DerivedInsight {
  std::string content;
  double importance = 0;        // 0…1
  size_t cluster = 0;           // of the work; its author was shown all of it
  std::vector<size_t> sources;  // the traces of the cluster that it says something about
};

struct DerivedInsights {
  std::vector<DerivedInsight> insights;
  std::string outcome = "done";  // as ConsolidationRun.derive
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

  virtual bool AnyToDerive() const = 0;  // costs nothing
  // Of the run that waits longest; it waits on until Derived.
  virtual base::Result<std::optional<DeriveWork>> NextToDerive() = 0;
  // An insight becomes a semantic trace of the trust of the least trusted of its cluster, at most
  // an agent's, with an edge to each source. It is dropped when a trace of its cluster was changed
  // or went meanwhile, so that it says nothing that somebody took back, and so are all of a run
  // that was undone.
  virtual base::Status Derived(const DeriveWork& work, const DerivedInsights& derived) = 0;
};

}  // namespace memory
