// Lists along an index: as many entries are read as are answered. For memory/store*.cc only.
#pragma once

#include <vector>

#include "memory/store_reach.h"

namespace memory {

// The newest rows of a reach, of those before `filter.before` and until `filter.as_of_ms`. `logs`:
// audit and security records too (which are no memories; a filter's type asks for them).
base::Result<std::vector<api::Observation>> Newest(sqlite::Database& database, const Reach& reach,
                                                   const Filter& filter, bool logs);

// The types that live rows of a range have; `project`: those that were written in this project, of
// the range of scope global.
base::Result<std::vector<std::string>> TypesOf(sqlite::Database& database, int64_t range,
                                               std::optional<int64_t> project);

}  // namespace memory
