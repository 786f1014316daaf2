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

// Replaces the edge that is there. kFull: `from` has as many as it may.
base::Status PutTraceEdge(sqlite::Database& database, int64_t from, const EdgeRow& edge);
// The edge that is there stays as it is.
base::Result<EdgeTaken> AddTraceEdge(sqlite::Database& database, int64_t from, const EdgeRow& edge);
base::Result<bool> RemoveTraceEdge(sqlite::Database& database, int64_t from, int64_t to);
base::Result<std::vector<EdgeRow>> EdgesFrom(sqlite::Database& database, int64_t slot);
// `to` has the edges of `from` too, in both directions, but none to itself; of two to one trace the
// heavier counts.
base::Status CopyEdges(sqlite::Database& database, int64_t from, int64_t to);

}  // namespace memory
