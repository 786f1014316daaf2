// The newest rows: the list of all types is merged from one stretch of the index per type.
#include "memory/sqlite/store/newest.h"

#include <algorithm>

#include "lib/base/limits/answer_charge.h"
#include "memory/model/marks.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/recency_index.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/store/answer_limit.h"

namespace memory {

using api::Observation;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

struct Changed {
  int64_t updated_ms = 0, id = 0, slot = 0;
};

bool ChangedLater(const Changed& a, const Changed& b) {
  return a.updated_ms != b.updated_ms ? a.updated_ms > b.updated_ms : a.id > b.id;
}

// Merges the rows of one type into the newest, at most `limit`. `without`: flags of rows that are
// left out.
Status AddType(Database& database, int64_t range, std::optional<int64_t> project,
               const std::string& type, const Filter& filter, int64_t without,
               std::vector<Changed>& newest) {
#define MEMORY_NEWEST                                                                 \
  "AND o.deleted_ms IS NULL AND o.type = ?2 AND (o.updated_ms, o.id) < (?3, ?4) AND " \
  "o.updated_ms >= ?5 AND (o.marks & ?10) = 0 AND " MEMORY_LIVE MEMORY_SEEN_BY(       \
      "?7", "?8", "?9") "ORDER BY o.updated_ms DESC, o.id DESC LIMIT ?6"
  const bool shared = IsShared(range, project);
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          shared ? "SELECT o.updated_ms, o.id, o.slot FROM " MEMORY_SHARED MEMORY_NEWEST
                 : "SELECT o.updated_ms, o.id, o.slot FROM " MEMORY_IN_RANGE MEMORY_NEWEST));
  RowKey before{INT64_MAX, INT64_MAX};
  if (filter.before) before = *filter.before;
  if (filter.as_of_ms && *filter.as_of_ms < before.ms) before = {*filter.as_of_ms, INT64_MAX};
  // Once there are enough, only rows at least as new as the last of them count.
  const bool enough = newest.size() >= filter.limit;
  read.Bind(shared ? *project : range).Bind(std::string_view(type));
  read.Bind(before.ms).Bind(before.id).Bind(enough ? newest.back().updated_ms : INT64_MIN);
  read.Bind(static_cast<int64_t>(filter.limit));
  BindViewer(read, filter.viewer);
  read.Bind(without);
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    newest.push_back({row.Int(0), row.Int(1), row.Int(2)});
  }));
  std::sort(newest.begin(), newest.end(), ChangedLater);
  if (newest.size() > filter.limit) newest.resize(filter.limit);
  return {};
}

}  // namespace

Result<std::vector<Observation>> Newest(Database& database, const SearchScope& scope,
                                        const Filter& filter, bool injected) {
  std::vector<Observation> rows;
  if (filter.limit == 0) return rows;
  ASSIGN_OR_RETURN(std::vector<int64_t> ranges, SlotRanges(database, scope));
  std::vector<Changed> newest;
  for (int64_t range : ranges) {
    std::vector<std::string> types;
    if (filter.type) {
      types = {*filter.type};
    } else {
      ASSIGN_OR_RETURN(types, TypesOf(database, range, scope.project));
      if (injected) std::erase_if(types, [](const auto& type) { return IsUnaskedType(type); });
    }
    for (const std::string& type : types)
      RETURN_IF_ERROR(AddType(database, range, scope.project, type, filter,
                              injected ? kFlagBuried : 0, newest));
  }
  size_t bytes = 0;
  base::AnswerCharge charge;
  std::vector<int64_t> slots;
  for (const Changed& place : newest) slots.push_back(place.slot);
  ObservationsInTurn places(database, std::move(slots));
  for (size_t i = 0; i < newest.size(); ++i) {
    if (bytes > kAnswerBytes) break;
    ASSIGN_OR_RETURN(std::optional<Observation> row, places.Next());
    if (!row) continue;
    rows.push_back(*std::move(row));
    const size_t row_bytes = AnswerBytes(rows.back());
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
  }
  return rows;
}

Result<std::vector<Observation>> StoreReads::Recent(const Filter& filter) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers, filter.stop));
  ASSIGN_OR_RETURN(SearchScope scope, ResolveScope(snapshot.database(), filter, false));
  return Newest(snapshot.database(), scope, filter, false);
}

}  // namespace memory
