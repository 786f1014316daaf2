// The index of rows by type and time of the last change: one index for lists of a type, for lists
// without logs and for expired rows (docs/adr/0042).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/sql/database.h"

namespace memory {

// One stretch of an index: a range and a type; or scope global, a project and a type.
#define MEMORY_IN_RANGE "observations o INDEXED BY observations_recent WHERE o.range = ?1 "
#define MEMORY_SHARED \
  "observations o INDEXED BY observations_shared WHERE o.range = 0 AND o.project = ?1 "

// Whether the stretch is one of MEMORY_SHARED, else of MEMORY_IN_RANGE.
bool IsShared(int64_t range, std::optional<int64_t> project);

// The types of the live rows of a range; with `project`, of the rows of scope global that this
// project wrote.
base::Result<std::vector<std::string>> TypesOf(sql::Database& database, int64_t range,
                                               std::optional<int64_t> project);

}  // namespace memory
