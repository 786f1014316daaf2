// Filters to ranges.
#include "memory/sqlite/tables/search_scope.h"

#include "memory/model/slots.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

Result<std::vector<int64_t>> Numbers(Database& database, std::string_view sql) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
  return read.ReadAll(IntAt);
}

}  // namespace

Result<Reach> ReachOf(Database& database, const Filter& filter, bool shared) {
  Reach reach;
  if (filter.scope && *filter.scope != "project" && *filter.scope != "global") return reach;
  bool global_only = filter.scope && *filter.scope == "global";
  if (!filter.project) {
    if (!filter.scope) reach.all = true;
    if (global_only) reach.ranges = {kGlobalRange};
    if (filter.scope && !global_only) {
      ASSIGN_OR_RETURN(reach.ranges, Numbers(database, "SELECT number FROM projects"));
    }
    return reach;
  }
  ASSIGN_OR_RETURN(std::optional<int64_t> number, FindProject(database, *filter.project));
  if (number && !global_only) reach.ranges.push_back(*number);
  bool with_global = !filter.scope || global_only;
  if (with_global && (shared || number)) reach.ranges.push_back(kGlobalRange);
  if (!shared) reach.project = number;
  return reach;
}

Result<std::vector<int64_t>> RangesOf(Database& database, const Reach& reach) {
  if (!reach.all) return reach.ranges;
  return Numbers(database, "SELECT number FROM ranges WHERE live_rows > 0");
}

}  // namespace memory
