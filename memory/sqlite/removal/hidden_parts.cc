// Statements over traces, trace_sources and trace_edges.
#include "memory/sqlite/removal/hidden_parts.h"

#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using sql::Database;
using sql::Statement;

Result<bool> LeadEdgesOn(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement move,
      database.Prepare(
          "INSERT INTO trace_edges SELECT e.from_slot, m.slot, e.kind, e.weight FROM (SELECT * "
          "FROM trace_edges WHERE to_slot = ?1 ORDER BY from_slot LIMIT ?2) e JOIN traces t ON "
          "t.slot = ?1 JOIN traces m ON m.uuid = t.merged_into WHERE e.from_slot <> m.slot "
          "ON CONFLICT(from_slot, to_slot) DO UPDATE SET kind = excluded.kind, weight = "
          "excluded.weight WHERE "
          "excluded.weight > trace_edges.weight"));
  RETURN_IF_ERROR(move.Bind(slot).Bind(kEdgesAtOnce).Run());
  ASSIGN_OR_RETURN(
      Statement remove,
      database.Prepare("DELETE FROM trace_edges WHERE to_slot = ?1 AND from_slot IN (SELECT "
                       "from_slot FROM trace_edges WHERE to_slot = ?1 ORDER BY from_slot LIMIT "
                       "?2)"));
  RETURN_IF_ERROR(remove.Bind(slot).Bind(kEdgesAtOnce).Run());
  return database.Changes() < kEdgesAtOnce;
}

Result<bool> HasManyEdges(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT 1 FROM observations o JOIN trace_edges e ON e.to_slot = o.slot "
                       "WHERE o.id = ?1 LIMIT 1 OFFSET ?2"));
  return read.Bind(id).Bind(kEdgesAtOnce).Step();
}

Result<std::vector<int64_t>> FindHiddenParts(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "WITH RECURSIVE part(slot, uuid) AS ("
          "SELECT o.slot, t.uuid FROM observations o JOIN traces t ON t.slot = o.slot WHERE o.id = "
          "?1 UNION SELECT t.slot, t.uuid FROM part p JOIN traces t ON t.merged_into = p.uuid JOIN "
          "observations o ON o.slot = t.slot WHERE o.deleted_ms IS NOT NULL), "
          "made(slot) AS (SELECT slot FROM part UNION SELECT s.merged FROM made m JOIN "
          "trace_sources s ON s.source = m.slot JOIN observations o ON o.slot = s.merged WHERE "
          "o.deleted_ms IS NOT NULL) "
          "SELECT o.id FROM made m JOIN observations o ON o.slot = m.slot WHERE o.id <> ?1 ORDER "
          "BY o.id"));
  return read.Bind(id).ReadAll(IntAt);
}

}  // namespace memory
