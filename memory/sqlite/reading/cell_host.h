// Opens the cells of a table over a store's writer and readers; their versions.
#pragma once

#include <string>

#include "memory/rows/cells.h"
#include "memory/sqlite/reading/row_host.h"

namespace memory {

using SqliteCellHost = SqliteRowHost<Cells>;

// Raises a counter of versions, as Cells::RaiseVersion.
inline base::Result<int64_t> RaiseVersion(sql::Database& database, const char* counter,
                                          int64_t to) {
  ASSIGN_OR_RETURN(sql::Statement raise,
                   database.Prepare("UPDATE counters SET value = max(value + CASE WHEN CAST(?2 AS "
                                    "BIGINT) = 0 THEN 1 ELSE 0 END, ?2) WHERE "
                                    "name = ?1"));
  RETURN_IF_ERROR(raise.Bind(counter).Bind(to).Run());
  ASSIGN_OR_RETURN(sql::Statement read,
                   database.Prepare("SELECT value FROM counters WHERE name = ?1"));
  ASSIGN_OR_RETURN(const auto version,
                   read.Bind(counter).ReadFirst([](const auto& row) { return row.Int(0); }));
  if (version) return *version;
  return base::Error{base::Code::kInternal, std::string("the counter ") + counter + " is missing"};
}

}  // namespace memory
