// The newest rows by the index of recency; a read visits only the entries that it returns.
#pragma once

#include <vector>

#include "memory/sqlite/tables/search_scope.h"

namespace memory {

// The newest rows of a scope, of those before `filter.before` and until `filter.as_of_ms`. `logs`:
// audit and security records too (which are no memories; a filter's type asks for them).
base::Result<std::vector<api::Observation>> Newest(sqlite::Database& database,
                                                   const SearchScope& scope, const Filter& filter,
                                                   bool logs);

}  // namespace memory
