// Statements over trace_edges.
#include "memory/sqlite/traces/trace_edges.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

struct EdgesThere {
  size_t count = 0;
  bool known = false;  // one of them leads to the given trace
  bool full() const { return !known && count >= kMaxTraceEdges; }
};

Result<EdgesThere> CountEdges(Database& database, int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(Statement count,
                   database.Prepare("SELECT count(*), sum(to_slot = ?2) FROM trace_edges WHERE "
                                    "from_slot = ?1"));
  ASSIGN_OR_RETURN(const bool row, count.Bind(from).Bind(to).Step());
  if (!row) return EdgesThere();
  return EdgesThere{static_cast<size_t>(count.Int(0)), count.Int(1) != 0};
}

Status WriteEdge(Database& database, int64_t from, const EdgeRow& edge) {
  ASSIGN_OR_RETURN(Statement put,
                   database.Prepare("INSERT OR REPLACE INTO trace_edges VALUES(?1, ?2, ?3, ?4)"));
  return put.Bind(from).Bind(edge.to).Bind(edge.kind).Bind(edge.weight).Run();
}

}  // namespace

Status PutTraceEdge(Database& database, int64_t from, const EdgeRow& edge) {
  ASSIGN_OR_RETURN(const EdgesThere there, CountEdges(database, from, edge.to));
  if (there.full()) {
    return Error{Code::kFull, "the trace has " + std::to_string(there.count) +
                                  " edges, the limit is " + std::to_string(kMaxTraceEdges)};
  }
  return WriteEdge(database, from, edge);
}

Result<EdgeTaken> AddTraceEdge(Database& database, int64_t from, const EdgeRow& edge) {
  ASSIGN_OR_RETURN(const EdgesThere there, CountEdges(database, from, edge.to));
  if (there.known) return EdgeTaken::kKnown;
  if (there.full()) return EdgeTaken::kFull;
  RETURN_IF_ERROR(WriteEdge(database, from, edge));
  return EdgeTaken::kNew;
}

Result<bool> RemoveTraceEdge(Database& database, int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(
      Statement remove,
      database.Prepare("DELETE FROM trace_edges WHERE from_slot = ?1 AND to_slot = ?2"));
  RETURN_IF_ERROR(remove.Bind(from).Bind(to).Run());
  return database.Changes() > 0;
}

Result<std::vector<EdgeRow>> EdgesFrom(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT to_slot, kind, weight FROM trace_edges WHERE "
                                    "from_slot = ?1 ORDER BY weight DESC, to_slot"));
  read.Bind(slot);
  std::vector<EdgeRow> edges;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    edges.push_back({row.Int(0), row.Text(1), row.Real(2)});
  }));
  return edges;
}

Status CopyEdges(Database& database, int64_t from, int64_t to) {
  for (const char* sql :
       {"INSERT INTO trace_edges SELECT ?2, to_slot, kind, weight FROM trace_edges WHERE "
        "from_slot = ?1 AND to_slot <> ?2 ON CONFLICT DO UPDATE SET kind = excluded.kind, "
        "weight = excluded.weight WHERE excluded.weight > weight",
        "INSERT INTO trace_edges SELECT from_slot, ?2, kind, weight FROM trace_edges WHERE "
        "to_slot = ?1 AND from_slot <> ?2 ON CONFLICT DO UPDATE SET kind = excluded.kind, "
        "weight = excluded.weight WHERE excluded.weight > weight"}) {
    ASSIGN_OR_RETURN(Statement copy, database.Prepare(sql));
    RETURN_IF_ERROR(copy.Bind(from).Bind(to).Run());
  }
  return {};
}

}  // namespace memory
