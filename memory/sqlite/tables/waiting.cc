// FTS5 writes a segment at each savepoint, and another for each row with a lower slot than the
// previous one: so rows are indexed together, in order of slots, without other statements.
#include "memory/sqlite/tables/waiting.h"

#include "memory/model/slots.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

// Some 20 ms of work, which a search may wait for, and unreserved space: with 2,048 rows and 1 MiB
// deletes failed on small full volumes (e2e/crash/full_disk.py --runs 100).
constexpr int64_t kManyRows = 512, kManyBytes = 256 << 10;

}  // namespace

Status RemoveFromIndex(Database& database, int64_t slot) {
  if (!database.HasFullTextIndex()) return {};
  ASSIGN_OR_RETURN(
      Statement take,
      database.Prepare("INSERT INTO words(words, rowid, title, content, tags, grams) SELECT "
                       "'delete', slot, title, content, tags, grams FROM live_words "
                       "WHERE slot = ?1"));
  RETURN_IF_ERROR(take.Bind(slot).Run());
  ASSIGN_OR_RETURN(Statement forget, database.Prepare("DELETE FROM waiting WHERE slot = ?1"));
  return forget.Bind(slot).Run();
}

Status AddToIndex(Database& database, int64_t slot) {
  if (!database.HasFullTextIndex()) return {};
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare("INSERT OR IGNORE INTO waiting SELECT slot, "
                       "length(content) FROM observations WHERE slot = ?1 AND deleted_ms IS NULL"));
  return put.Bind(slot).Run();
}

// Inserts single rows: the end of an INSERT … SELECT costs time in all earlier changes of its
// transaction.
Status AddNewToIndex(Database& database, int64_t slot, int64_t characters) {
  if (!database.HasFullTextIndex()) return {};
  ASSIGN_OR_RETURN(Statement put, database.Prepare("INSERT OR IGNORE INTO waiting VALUES(?1, ?2)"));
  return put.Bind(slot).Bind(characters).Run();
}

Status IndexWaiting(Database& database) {
  if (!database.HasFullTextIndex()) return {};
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT slot, title, content, tags, grams FROM waiting JOIN observations "
                       "USING(slot) WHERE deleted_ms IS NULL ORDER BY slot"));
  bool any = false;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
    any = true;
    // Values of one row: for INSERT … SELECT SQLite would open a savepoint.
    ASSIGN_OR_RETURN(Statement put,
                     database.Prepare("INSERT INTO words(rowid, title, content, tags, grams) "
                                      "VALUES(?1, ?2, ?3, ?4, ?5)"));
    put.Bind(row.Int(0)).Bind(row.Text(1)).Bind(row.Text(2));
    return put.Bind(row.Text(3)).Bind(row.Text(4)).Run();
  }));
  return any ? database.Execute("DELETE FROM waiting") : Status();
}

Status WaitingTally::Add(Database& database, const std::vector<int64_t>& slots) {
  for (const int64_t slot : slots) {
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT length FROM waiting WHERE slot = ?1"));
    ASSIGN_OR_RETURN(const bool waits, read.Bind(slot).Step());
    if (waits) Set(rows_ + 1, characters_ + read.Int(0));
  }
  return {};
}

bool WaitingTally::IsMany() const { return rows_ >= kManyRows || characters_ >= kManyBytes; }

void WaitingTally::Set(int64_t rows, int64_t characters) {
  rows_ = rows;
  characters_ = characters;
}

// After a batch the tally is what it was, since the caller may roll back: the next call finds less.
Status IndexManyWaiting(Database& database, WaitingTally& tally) {
  ASSIGN_OR_RETURN(Statement count, database.Prepare("SELECT count(*), sum(length) FROM waiting"));
  ASSIGN_OR_RETURN(bool row, count.Step());
  if (row) tally.Set(count.Int(0), count.Int(1));
  return tally.IsMany() ? IndexWaiting(database) : Status();
}

Result<bool> AnyWaits(Database& database, const std::vector<int64_t>& ranges) {
  if (!database.HasFullTextIndex()) return false;
  if (ranges.empty()) {
    ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT 1 FROM waiting LIMIT 1"));
    return read.Step();
  }
  for (int64_t range : ranges) {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare("SELECT 1 FROM waiting WHERE slot BETWEEN ?1 AND ?2 LIMIT 1"));
    read.Bind(range << kRangeBits).Bind(((range + 1) << kRangeBits) - 1);
    ASSIGN_OR_RETURN(bool waits, read.Step());
    if (waits) return true;
  }
  return false;
}

}  // namespace memory
