// Maps filters to ranges.
#include "memory/sqlite/tables/search_scope.h"

#include "memory/model/slots.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using sql::Database;
using sql::Statement;

namespace {

Result<std::vector<int64_t>> Numbers(Database& database, std::string_view sql) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
  return read.ReadAll(IntAt);
}

}  // namespace

Result<SearchScope> ResolveScope(Database& database, const Filter& filter, bool shared) {
  SearchScope scope;
  if (filter.scope && *filter.scope != "project" && *filter.scope != "global") return scope;
  bool global_only = filter.scope && *filter.scope == "global";
  if (!filter.project) {
    if (!filter.scope) scope.all = true;
    if (global_only) scope.ranges = {kGlobalRange};
    if (filter.scope && !global_only) {
      ASSIGN_OR_RETURN(scope.ranges,
                       Numbers(database, "SELECT number FROM projects ORDER BY number"));
    }
    return scope;
  }
  ASSIGN_OR_RETURN(std::optional<int64_t> number, FindProject(database, *filter.project));
  if (number && !global_only) scope.ranges.push_back(*number);
  bool with_global = !filter.scope || global_only;
  if (with_global && (shared || number)) scope.ranges.push_back(kGlobalRange);
  if (!shared) scope.project = number;
  return scope;
}

Result<std::vector<int64_t>> SlotRanges(Database& database, const SearchScope& scope) {
  if (!scope.all) return scope.ranges;
  return Numbers(database, "SELECT number FROM ranges WHERE live_rows > 0 ORDER BY number");
}

}  // namespace memory
