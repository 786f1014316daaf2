// A look-up by the key of `traces`: an observation that is no trace costs one look-up.
#include "memory/sqlite/tables/viewer.h"

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

}  // namespace memory
