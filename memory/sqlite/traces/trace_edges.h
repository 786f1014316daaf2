// The table `trace_edges`: at most one edge from one trace to another, kMaxTraceEdges from a trace.
// An edge to a trace that was merged stays as it is stored: readers follow `merged_into` to the
// live trace, so that a merge costs nothing for edges that lead to its sources (docs/adr/0071).
// Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/sql/database.h"
#include "memory/store/traces.h"

namespace memory {

struct EdgeRow {
  int64_t to = 0;  // a slot
  std::string kind;
  double weight = 1;
  bool operator==(const EdgeRow&) const = default;
};

// Finds the live trace that stands for another one: itself, the one that it was merged into, and
// so on. Expired rows count as live until retention hides them. One transaction's.
class EdgeEnds {
 public:
  explicit EdgeEnds(sql::Database& database) : database_(database) {}
  // nullopt: none, or the chain is too long.
  base::Result<std::optional<int64_t>> Of(int64_t slot);

 private:
  sql::Database& database_;
  std::unordered_map<int64_t, std::optional<int64_t>> known_;
};

// The edges from a trace by their live ends, the heaviest first; of two that lead to one trace the
// heavier. None leads to the trace itself.
base::Result<std::vector<EdgeRow>> EdgesFrom(sql::Database& database, int64_t slot);
// As they are stored, the heaviest first.
base::Result<std::vector<EdgeRow>> StoredEdges(sql::Database& database, int64_t slot);

// Replaces the edges that lead to this live trace. An edge that EdgesFrom does not show gives way
// if the list is full. kFull: `from` has kMaxTraceEdges that are shown.
base::Status PutTraceEdge(sql::Database& database, int64_t from, const EdgeRow& edge);
// Keeps an existing edge.
base::Result<EdgeTaken> AddTraceEdge(sql::Database& database, int64_t from, const EdgeRow& edge);
// Removes the edges that lead to this trace. → whether there was one.
base::Result<bool> RemoveTraceEdge(sql::Database& database, int64_t from, int64_t to);
// Takes back the weight that a run wrote: nullopt, the edge itself. Keeps edges of another kind or,
// if `written` is known, of another weight. → whether one was left.
base::Result<bool> RestoreTraceEdge(sql::Database& database, int64_t from, int64_t to,
                                    const std::string& kind, std::optional<double> written,
                                    std::optional<double> before);

// Gives a merged trace the kMaxTraceEdges heaviest edges of its sources, first those with a live
// end, none to the sources: of two to one trace the heavier. `sources` in one order always.
base::Status UniteEdges(sql::Database& database, std::span<const int64_t> sources, int64_t merged);
// Whether `merged` has the edges that UniteEdges gave it.
base::Result<bool> AreUnited(sql::Database& database, std::span<const int64_t> sources,
                             int64_t merged);
// Whether a live trace leads to this one itself.
base::Result<bool> IsLinked(sql::Database& database, int64_t slot);

}  // namespace memory
