// Consolidation of traces: a run hides weak traces, merges equal ones, links those retrieved
// together, and compacts old ones. Each run is logged and can be undone. Insights of several traces
// are derived after a run. Independent of the engine.
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
  bool busy = false;     // another run is active: nothing was done
  bool partial = false;  // the context has more traces than a run reads
  std::string derive;    // "pending", "done", "skipped, …"
  std::optional<int64_t> undone_ms;
};

struct ClusteredTrace {
  std::string id, content;
};

// A run that waits for insights, with its clusters of traces.
struct DeriveWork {
  int64_t number = 0;  // of the run in its store
  std::string run;
  TraceContext context;
  std::vector<std::vector<ClusteredTrace>> clusters;
};

struct DerivedInsight {
  std::string content;
  double importance = 0;        // 0…1
  size_t cluster = 0;           // index into DeriveWork::clusters; the model saw all of it
  std::vector<size_t> sources;  // the traces of the cluster that support it
};

struct DerivedInsights {
  std::vector<DerivedInsight> insights;
  std::string outcome = "done";  // as ConsolidationRun.derive
};

struct Original {
  std::optional<std::string> content;  // nullopt: never archived, or corrupt
  std::optional<int64_t> archived_ms;
};

// Any thread. A run does not change traces of other contexts or of the organization, observations
// that are no traces, or a user's traces if `writer` is another. Errors: kUnavailable, kFull.
class Consolidation {
 public:
  virtual ~Consolidation() = default;

  // Commits changes in small batches between other writes: after an error earlier batches stay, and
  // the run's undo reverts them.
  virtual base::Result<ConsolidationRun> Reflect(const TraceContext& context, bool dry_run,
                                                 const std::string& writer) = 0;
  // Of this context, the newest first.
  virtual base::Result<std::vector<ConsolidationRun>> Runs(const TraceContext& context,
                                                           size_t limit) = 0;
  // → the reverted changes; rows changed since stay. nullopt: no such run.
  virtual base::Result<std::optional<ConsolidationCounts>> Undo(const TraceContext& context,
                                                                const std::string& run) = 0;
  // Logs the access. nullopt: no such trace.
  virtual base::Result<std::optional<Original>> Rehydrate(const TraceContext& context,
                                                          const std::string& trace) = 0;

  virtual bool AnyToDerive() const = 0;  // costs nothing
  // The work of the longest waiting run, which stays pending until Derived.
  virtual base::Result<std::optional<DeriveWork>> NextToDerive() = 0;
  // Stores each insight as a semantic trace with the lowest trust class of its cluster, at most an
  // agent's, and an edge to each source. Drops an insight if a trace of its cluster changed or was
  // deleted since NextToDerive, since it may repeat the text; and all of a run that was undone.
  virtual base::Status Derived(const DeriveWork& work, const DerivedInsights& derived) = 0;
};

}  // namespace memory
