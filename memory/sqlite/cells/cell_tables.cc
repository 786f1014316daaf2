// The rows of the plain tables, and the loops over all kinds that need a connection alone. The
// clock goes on where the file says: no cell lives longer because a server was restarted.
#include "memory/sqlite/cells/cell_tables.h"

#include <algorithm>

#include "memory/keeping/shared_items.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

Cell CellAt(const Statement& row) {
  const auto expires_ms = row.IsNull(4) ? std::nullopt : std::optional(row.Int(4));
  return {row.Text(0), row.Text(1), row.Text(2), row.Int(3), expires_ms};
}

Result<bool> ReadCells(Database& database, const CellStatements& statements,
                       const CellReading& reading, const OnCell& take) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(statements.read));
  bool end = true;
  RETURN_IF_ERROR(read.Bind(reading.after).Bind(reading.now_ms).ForEachRow([&](const auto& row) {
    if (!std::ranges::binary_search(reading.owners, row.Text(0))) return true;
    return end = take(row.Int(5), CellAt(row));
  }));
  return end;
}

#define MEMORY_SELECT_CELL(table) "SELECT owner, key, value, version, over_ms, slot FROM " table " "
#define MEMORY_CELL_STATEMENTS(counter, table, counts)                                              \
  {                                                                                                 \
    counter, MEMORY_SELECT_CELL(table) "WHERE owner = ?1 AND key = ?2",                           \
        "INSERT INTO " table                                                                      \
        "(owner, key, version, over_ms, bytes, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON "         \
        "CONFLICT(owner, key) DO UPDATE SET version = excluded.version, over_ms = "               \
        "excluded.over_ms, bytes = excluded.bytes, value = excluded.value",                       \
        "DELETE FROM " table " WHERE owner = ?1 AND key = ?2",                                    \
        "SELECT max(rows), max(bytes), (SELECT count(*) FROM " counts ") FROM " counts            \
        " WHERE owner = ?1",                                                                      \
        "DELETE FROM " table " WHERE slot IN (SELECT slot FROM " table                            \
        " WHERE over_ms <= ?2 AND (?1 = '' OR owner = ?1) LIMIT ?3)",                             \
        MEMORY_SELECT_CELL(table) "WHERE slot > ?1 AND (over_ms IS NULL OR over_ms > ?2) ORDER "  \
                                  "BY slot",                                                      \
        "SELECT owner FROM " counts " WHERE owner >= ?1 ORDER BY owner LIMIT ?2",                 \
        MEMORY_SELECT_CELL(table) "WHERE owner = ?1 AND key > ?2 AND (over_ms IS NULL OR "        \
                                  "over_ms > ?3) ORDER BY key LIMIT ?4" \
  }
constexpr CellStatements kSharedStatements =
    MEMORY_CELL_STATEMENTS("shared_version", "shared_items", "shared_owners");

#define MEMORY_MOVE(table) \
  "UPDATE " table " SET over_ms = over_ms + ?1 WHERE over_ms IS NOT NULL AND ?1 <> 0"

const CellTable kTables[] = {
    {kItemCells, "items", nullptr, "SELECT 1 FROM items LIMIT 1", MEMORY_MOVE("items"),
     "SELECT slot, key, key || char(10) || value || char(10) || metadata FROM items WHERE slot > "
     "?1 AND ?2 = ?2 ORDER BY slot",
     [](Database& database, const CellReading& reading, const OnCell& take) {
       return ReadItems(database, reading.project, reading.now_ms, reading.after, take);
     },
     LeaveOutItems},
    {kSharedCells, "shared_items", &kSharedStatements,
     "SELECT 1 FROM shared_items WHERE over_ms IS NOT NULL LIMIT 1", MEMORY_MOVE("shared_items"),
     "SELECT slot, owner || ':' || key, value FROM shared_items WHERE slot > ?1 AND ?2 = ?2 ORDER "
     "BY slot",
     [](Database& database, const CellReading& reading, const OnCell& take) {
       return ReadCells(database, kSharedStatements, reading, take);
     },
     [](Database& database, std::optional<int64_t>, int64_t) {
       return database.Execute("DELETE FROM shared_items");
     }},
};

Status LeaveOut(Database& copy, bool of_agents, int64_t now_ms) {
  for (const CellTable& table : kTables)
    if (table.kind.of_agents == of_agents) RETURN_IF_ERROR(table.leave_out(copy, {}, now_ms));
  return {};
}

}  // namespace

Result<std::optional<Cell>> TableCells::Find(const std::string& owner, const std::string& key) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare(sql_.find));
  return read.Bind(owner).Bind(key).ReadFirst(CellAt);
}

Status TableCells::Save(const Cell& cell) {
  ASSIGN_OR_RETURN(Statement write, database_.Prepare(sql_.save));
  write.Bind(cell.owner).Bind(cell.key).Bind(cell.version).Bind(cell.expires_ms);
  return write.Bind(BytesOf(cell)).Bind(cell.value).Run();
}

Status TableCells::Remove(const std::string& owner, const std::string& key) {
  ASSIGN_OR_RETURN(Statement drop, database_.Prepare(sql_.remove));
  return drop.Bind(owner).Bind(key).Run();
}

Result<CellTotals> TableCells::TotalsOf(const std::string& owner) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare(sql_.totals));
  ASSIGN_OR_RETURN(auto totals, read.Bind(owner).ReadFirst([](const Statement& row) {
    return CellTotals{row.Int(0), row.Int(1), row.Int(2)};
  }));
  return totals.value_or(CellTotals());
}

Result<int64_t> TableCells::RemoveExpired(const std::string& owner, int64_t now_ms, int64_t limit) {
  ASSIGN_OR_RETURN(Statement drop, database_.Prepare(sql_.remove_expired));
  RETURN_IF_ERROR(drop.Bind(owner).Bind(now_ms).Bind(limit).Run());
  return database_.Changes();
}

Result<std::vector<std::string>> TableCells::Owners(const std::string& first, size_t limit) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare(sql_.owners));
  return read.Bind(first).Bind(static_cast<int64_t>(limit)).ReadAll([](const Statement& row) {
    return row.Text(0);
  });
}

Result<std::vector<Cell>> TableCells::List(const std::string& owner, const std::string& after,
                                           int64_t now_ms, size_t limit, size_t bytes) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare(sql_.list));
  read.Bind(owner).Bind(after).Bind(now_ms).Bind(static_cast<int64_t>(limit));
  std::vector<Cell> cells;
  size_t taken = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    cells.push_back(CellAt(row));
    taken += static_cast<size_t>(BytesOf(cells.back()));
    return taken <= bytes;
  }));
  return cells;
}

std::span<const CellTable> CellTables() { return kTables; }

Result<int64_t> LoadCellClock(Database& database) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT value FROM counters WHERE name = 'item_clock'"));
  ASSIGN_OR_RETURN(const auto saved, read.ReadFirst(IntAt));
  return saved.value_or(0);
}

Status SaveCellClock(Database& database, int64_t aged_ms) {
  for (const CellTable& table : kTables) {
    ASSIGN_OR_RETURN(Statement any, database.Prepare(table.needs_clock));
    ASSIGN_OR_RETURN(const bool needs, any.Step());
    if (!needs) continue;
    ASSIGN_OR_RETURN(Statement save,
                     database.Prepare("INSERT INTO counters VALUES('item_clock', ?1) ON "
                                      "CONFLICT(name) DO UPDATE SET value = excluded.value"));
    return save.Bind(aged_ms).Run();
  }
  return {};
}

Status CellClock::KeepIfDue() {
  constexpr int64_t kEveryMs = 600'000;
  return NowMs() - saved_ms_ < kEveryMs ? Status() : KeepSeen();
}

Status CellClock::KeepSeen() {
  const int64_t aged_ms = seen_ms_;
  if (aged_ms <= saved_ms_) return {};
  RETURN_IF_ERROR(
      writer_.RunAny([&](Database& database) { return SaveCellClock(database, aged_ms); }));
  saved_ms_ = aged_ms;
  return {};
}

Status PrepareCells(Database& copy, int64_t aged_ms, int64_t wall_ms) {
  RETURN_IF_ERROR(LeaveOut(copy, false, aged_ms));
  for (const CellTable& table : kTables) {
    ASSIGN_OR_RETURN(Statement move, copy.Prepare(table.move));
    RETURN_IF_ERROR(move.Bind(wall_ms - aged_ms).Run());
  }
  RETURN_IF_ERROR(SaveCellClock(copy, wall_ms));
  return LeaveOut(copy, true, aged_ms);
}

}  // namespace memory
