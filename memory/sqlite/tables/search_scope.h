// Where the rows of a filter lie: ranges of slots (schema.cc).
#pragma once

#include <optional>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/reads.h"

namespace memory {

// `ranges` empty and `all` false: nowhere.
struct SearchScope {
  bool all = false;
  std::vector<int64_t> ranges;
  std::optional<int64_t> project;  // only rows written in this project
};

// `shared`: rows of scope global are seen from every project (search, context), else from their own
// only.
base::Result<SearchScope> ResolveScope(sqlite::Database& database, const Filter& filter,
                                       bool shared);
// The scope's ranges by number, also when it is everything; those without live rows may be left
// out.
base::Result<std::vector<int64_t>> SlotRanges(sqlite::Database& database, const SearchScope& scope);

}  // namespace memory
