// The scope of a search: the slot ranges (schema.cc) that hold the rows of a filter.
#pragma once

#include <optional>
#include <vector>

#include "lib/sql/database.h"
#include "memory/store/reads.h"

namespace memory {

// Empty `ranges` with `all` false: no row is in scope.
struct SearchScope {
  bool all = false;
  std::vector<int64_t> ranges;
  std::optional<int64_t> project;  // only rows written in this project
};

// `shared`: rows of scope global are in scope for every project (search, context), else only for
// the project that wrote them.
base::Result<SearchScope> ResolveScope(sql::Database& database, const Filter& filter, bool shared);
// The numbers of the scope's ranges, also of `all`; ranges without live rows may be left out.
base::Result<std::vector<int64_t>> SlotRanges(sql::Database& database, const SearchScope& scope);

}  // namespace memory
