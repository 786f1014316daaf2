// The index of rows by their last change, which has their type before the time: it is one index for
// lists of a type, for lists without logs and for what is over (docs/adr/0042).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"

namespace memory {

// One stretch of an index: of a range and a type, or of scope global, a project and a type.
#define MEMORY_IN_RANGE "observations o INDEXED BY observations_recent WHERE o.range = ?1 "
#define MEMORY_SHARED \
  "observations o INDEXED BY observations_shared WHERE o.range = 0 AND o.project = ?1 "

// Whether the stretch is one of MEMORY_SHARED, else of MEMORY_IN_RANGE.
bool IsShared(int64_t range, std::optional<int64_t> project);

// The types that live rows of a range have; `project`: those that were written in this project, of
// the range of scope global.
base::Result<std::vector<std::string>> TypesOf(sqlite::Database& database, int64_t range,
                                               std::optional<int64_t> project);

}  // namespace memory
