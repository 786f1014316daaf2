// The newest rows by the index of recency; a read visits only the entries that it returns.
#pragma once

#include <vector>

#include "memory/sqlite/tables/search_scope.h"

namespace memory {

// The newest rows of a scope before `filter.before` and until `filter.as_of_ms`. `injected`: for
// a prompt, without buried rows, and without audit and security records, which are no memories
// unless the filter's type names them.
base::Result<std::vector<api::Observation>> Newest(sql::Database& database,
                                                   const SearchScope& scope, const Filter& filter,
                                                   bool injected);

}  // namespace memory
