// Skips from one type to the next.
#include "memory/sqlite/tables/recency_index.h"

#include "memory/model/slots.h"

namespace memory {

using base::Result;
using sql::Database;
using sql::Statement;

bool IsShared(int64_t range, std::optional<int64_t> project) {
  return range == kGlobalRange && project.has_value();
}

Result<std::vector<std::string>> TypesOf(Database& database, int64_t range,
                                         std::optional<int64_t> project) {
  // Seeks the next type without reading the rows in between.
#define MEMORY_TYPES(stretch)                                                       \
  "WITH RECURSIVE t(type) AS (SELECT (SELECT min(o.type) FROM " stretch             \
  "AND o.deleted_ms IS NULL) UNION ALL SELECT (SELECT min(o.type) FROM " stretch    \
  "AND o.deleted_ms IS NULL AND o.type > t.type) FROM t WHERE t.type IS NOT NULL) " \
  "SELECT type FROM t WHERE type IS NOT NULL"
  const bool shared = IsShared(range, project);
  ASSIGN_OR_RETURN(Statement read, database.Prepare(shared ? MEMORY_TYPES(MEMORY_SHARED)
                                                           : MEMORY_TYPES(MEMORY_IN_RANGE)));
  read.Bind(shared ? *project : range);
  return read.ReadAll([](const Statement& row) { return row.Text(0); });
}

}  // namespace memory
