// The table `trace_edges`: at most one edge from one trace to another. Everything runs in the
// caller's transaction.
#pragma once

#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/traces.h"

namespace memory {

struct EdgeRow {
  int64_t to = 0;  // a slot
  std::string kind;
  double weight = 1;
};

// Replaces an existing edge. kFull: `from` is at its limit.
base::Status PutTraceEdge(sqlite::Database& database, int64_t from, const EdgeRow& edge);
// Keeps an existing edge.
base::Result<EdgeTaken> AddTraceEdge(sqlite::Database& database, int64_t from, const EdgeRow& edge);
base::Result<bool> RemoveTraceEdge(sqlite::Database& database, int64_t from, int64_t to);
base::Result<std::vector<EdgeRow>> EdgesFrom(sqlite::Database& database, int64_t slot);
// Copies the edges of `from`, in both directions, to `to`, except edges to itself; the heavier of
// two edges to one trace wins.
base::Status CopyEdges(sqlite::Database& database, int64_t from, int64_t to);

}  // namespace memory
