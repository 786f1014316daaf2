// The counters advance in the transaction that cuts, so that a kill repeats nothing and skips
// nothing.
#include "memory/sqlite/tables/uncut.h"

#include <optional>

#include "memory/sqlite/tables/waiting.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

// Some 20 ms of the writer.
constexpr int64_t kRowsAtOnce = 256, kItemsAtOnce = 128;
constexpr size_t kBytesAtOnce = 256 << 10;

const char* CounterOf(Uncut what) { return what == kUncutItems ? "cut_items" : "cut_rows"; }

Result<std::optional<int64_t>> LastCut(Database& database, Uncut what) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT value FROM counters WHERE name = ?1"));
  read.Bind(CounterOf(what));
  return read.ReadFirst([](const Statement& row) { return row.Int(0); });
}

// `last` 0: nothing is left.
Status NoteCut(Database& database, Uncut what, int64_t last) {
  ASSIGN_OR_RETURN(Statement note,
                   database.Prepare(last == 0 ? "DELETE FROM counters WHERE name = ?1"
                                              : "UPDATE counters SET value = ?2 WHERE name = ?1"));
  note.Bind(CounterOf(what));
  if (last != 0) note.Bind(last);
  return note.Run();
}

}  // namespace

Result<bool> AnyUncut(Database& database, Uncut what) {
  ASSIGN_OR_RETURN(const auto last, LastCut(database, what));
  return last.has_value();
}

Result<int64_t> CountUncut(Database& database) {
  int64_t count = 0;
  for (const Uncut what : {kUncutObservations, kUncutItems}) {
    ASSIGN_OR_RETURN(const auto last, LastCut(database, what));
    if (!last) continue;
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare(what == kUncutItems
                                          ? "SELECT count(*) FROM items WHERE slot > ?1 AND cut = 0"
                                          : "SELECT count(*) FROM observations WHERE slot > ?1"));
    ASSIGN_OR_RETURN(const bool row, read.Bind(*last).Step());
    if (row) count += read.Int(0);
  }
  return count;
}

Result<UncutRows> FindUncut(Database& database) {
  UncutRows found;
  ASSIGN_OR_RETURN(const auto last, LastCut(database, kUncutObservations));
  if (!last) return found;
  found.any = true;
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT slot, title, content, tags, grams FROM observations "
                                    "WHERE slot > ?1 ORDER BY slot LIMIT ?2"));
  read.Bind(*last).Bind(kRowsAtOnce);
  size_t bytes = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    found.last = row.Int(0);
    found.rows.push_back({found.last, row.Text(1), row.Text(2), row.Text(3), row.Text(4)});
    bytes += found.rows.back().content.size();
    return bytes < kBytesAtOnce;
  }));
  return found;
}

Status CutRows(Database& database, const UncutRows& found, const std::vector<std::string>& grams) {
  std::vector<size_t> changed;
  for (size_t i = 0; i < found.rows.size(); ++i) {
    const UncutRow& row = found.rows[i];
    if (row.grams == grams[i]) continue;
    ASSIGN_OR_RETURN(Statement same,
                     database.Prepare("SELECT 1 FROM observations WHERE slot = ?1 AND grams = ?2 "
                                      "AND title = ?3 AND content = ?4 AND tags = ?5"));
    same.Bind(row.slot).Bind(std::string_view(row.grams)).Bind(std::string_view(row.title));
    same.Bind(std::string_view(row.content)).Bind(std::string_view(row.tags));
    ASSIGN_OR_RETURN(const bool is_same, same.Step());
    if (is_same) changed.push_back(i);
  }
  for (size_t i : changed) RETURN_IF_ERROR(RemoveFromIndex(database, found.rows[i].slot));
  for (size_t i : changed) {
    ASSIGN_OR_RETURN(Statement cut,
                     database.Prepare("UPDATE observations SET grams = ?2 WHERE slot = ?1"));
    RETURN_IF_ERROR(cut.Bind(found.rows[i].slot).Bind(std::string_view(grams[i])).Run());
    RETURN_IF_ERROR(AddToIndex(database, found.rows[i].slot));
  }
  if (!changed.empty()) RETURN_IF_ERROR(IndexWaiting(database));
  return NoteCut(database, kUncutObservations, found.last);
}

Result<UncutItems> FindUncutItems(Database& database) {
  UncutItems found;
  ASSIGN_OR_RETURN(const auto last, LastCut(database, kUncutItems));
  if (!last) return found;
  found.any = true;
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT slot FROM items WHERE slot > ?1 AND "
                                                    "cut = 0 ORDER BY slot LIMIT ?2"));
  read.Bind(*last).Bind(kItemsAtOnce);
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    found.last = row.Int(0);
    found.slots.push_back(found.last);
  }));
  return found;
}

Status NoteItemsCut(Database& database, const UncutItems& found) {
  return NoteCut(database, kUncutItems, found.last);
}

}  // namespace memory
