// A look-up by the key of `traces`: an observation that is no trace costs one look-up.
#include "memory/sqlite/tables/viewer.h"

#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using sql::Statement;

Statement& BindViewer(Statement& statement, const std::optional<Viewer>& viewer) {
  using Text = std::optional<std::string>;
  return statement.Bind(viewer ? Text(viewer->user) : Text())
      .Bind(viewer ? Text(viewer->agent) : Text())
      .Bind(viewer ? Text(viewer->conversation) : Text());
}

Result<bool> IsSeenBy(sql::Database& database, const Viewer& viewer, int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT 1 FROM (SELECT CAST(?4 AS BIGINT) AS slot) o WHERE true " MEMORY_SEEN_BY(
              "?1", "?2", "?3")));
  BindViewer(read, viewer).Bind(slot);
  return read.Step();
}

Result<std::unordered_set<int64_t>> SeenBy(sql::Database& database, const Viewer& viewer,
                                           std::span<const int64_t> slots) {
  std::unordered_set<int64_t> seen;
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT o.slot FROM (SELECT CAST(value AS BIGINT) AS slot FROM "
                       "json_each(?4)) o WHERE true " MEMORY_SEEN_BY("?1", "?2", "?3")));
  RETURN_IF_ERROR(
      BindViewer(read, viewer).Bind(ListOf(slots)).ForEachRow([&](const Statement& row) {
        seen.insert(row.Int(0));
      }));
  return seen;
}

}  // namespace memory
