// Statements over shared_items. Triggers (schema.cc) count rows and bytes of an owner.
#include "memory/sqlite/shared/sqlite_shared.h"

#include <algorithm>

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

#define MEMORY_SELECT_SHARED "SELECT owner, key, value, version, over_ms, slot FROM shared_items "

Cell SharedAt(const Statement& row) {
  const auto expires_ms = row.IsNull(4) ? std::nullopt : std::optional(row.Int(4));
  return {row.Text(0), row.Text(1), row.Text(2), row.Int(3), expires_ms};
}

}  // namespace

Result<std::optional<Cell>> SharedCells::Find(const std::string& owner, const std::string& key) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare(MEMORY_SELECT_SHARED "WHERE owner = ?1 AND key = ?2"));
  return read.Bind(owner).Bind(key).ReadFirst(SharedAt);
}

Status SharedCells::Save(const Cell& cell) {
  ASSIGN_OR_RETURN(Statement write,
                   database_.Prepare("INSERT INTO shared_items(owner, key, version, over_ms, "
                                     "bytes, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON "
                                     "CONFLICT(owner, key) DO UPDATE SET version = "
                                     "excluded.version, over_ms = excluded.over_ms, bytes = "
                                     "excluded.bytes, value = excluded.value"));
  write.Bind(cell.owner).Bind(cell.key).Bind(cell.version).Bind(cell.expires_ms);
  return write.Bind(BytesOf(cell)).Bind(cell.value).Run();
}

Status SharedCells::Remove(const std::string& owner, const std::string& key) {
  ASSIGN_OR_RETURN(Statement drop,
                   database_.Prepare("DELETE FROM shared_items WHERE owner = ?1 AND key = ?2"));
  return drop.Bind(owner).Bind(key).Run();
}

Result<CellTotals> SharedCells::TotalsOf(const std::string& owner) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT max(rows), max(bytes), (SELECT "
                                                     "count(*) FROM shared_owners) FROM "
                                                     "shared_owners WHERE owner = ?1"));
  ASSIGN_OR_RETURN(auto totals, read.Bind(owner).ReadFirst([](const Statement& row) {
    return CellTotals{row.Int(0), row.Int(1), row.Int(2)};
  }));
  return totals.value_or(CellTotals());
}

Result<int64_t> SharedCells::RemoveExpired(const std::string& owner, int64_t now_ms,
                                           int64_t limit) {
  ASSIGN_OR_RETURN(
      Statement drop,
      database_.Prepare("DELETE FROM shared_items WHERE slot IN (SELECT slot FROM shared_items "
                        "WHERE over_ms <= ?2 AND (?1 = '' OR owner = ?1) LIMIT ?3)"));
  RETURN_IF_ERROR(drop.Bind(owner).Bind(now_ms).Bind(limit).Run());
  return database_.Changes();
}

Result<bool> ReadShared(Database& database, const std::vector<std::string>& owners, int64_t now_ms,
                        int64_t after, const std::function<bool(int64_t slot, Cell&&)>& take) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare(MEMORY_SELECT_SHARED
                                    "WHERE slot > ?1 AND (over_ms IS NULL OR over_ms > ?2) ORDER "
                                    "BY slot"));
  bool end = true;
  RETURN_IF_ERROR(read.Bind(after).Bind(now_ms).ForEachRow([&](const Statement& row) {
    if (!std::ranges::binary_search(owners, row.Text(0))) return true;
    return end = take(row.Int(5), SharedAt(row));
  }));
  return end;
}

Result<std::vector<std::string>> SqliteShared::Owners(const std::string& first, size_t limit) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers_));
  ASSIGN_OR_RETURN(Statement read,
                   snapshot.database().Prepare("SELECT owner FROM shared_owners WHERE owner >= ?1 "
                                               "ORDER BY owner LIMIT ?2"));
  return read.Bind(first).Bind(static_cast<int64_t>(limit)).ReadAll([](const Statement& row) {
    return row.Text(0);
  });
}

Result<std::vector<Cell>> SqliteShared::List(const std::string& owner, const std::string& after,
                                             size_t limit, size_t bytes) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers_));
  ASSIGN_OR_RETURN(Statement read,
                   snapshot.database().Prepare(
                       MEMORY_SELECT_SHARED
                       "WHERE owner = ?1 AND key > ?2 AND (over_ms IS NULL OR over_ms > ?3) "
                       "ORDER BY key LIMIT ?4"));
  read.Bind(owner).Bind(after).Bind(AgedMs()).Bind(static_cast<int64_t>(limit));
  std::vector<Cell> items;
  size_t taken = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    items.push_back(SharedAt(row));
    taken += static_cast<size_t>(BytesOf(items.back()));
    return taken <= bytes;
  }));
  return items;
}

}  // namespace memory
