// The ledger's table and statements.
#include "lib/conversation/working/ledger.h"

#include <iterator>
#include <utility>

namespace conversation {
namespace {

using base::Result;
using base::Status;

LedgerEntry ReadEntry(const sqlite::Statement& row) {
  return {{row.Text(0), row.Text(1)}, row.Int(2), row.Int(3)};
}

base::Error LedgerIsFull() {
  return {base::Code::kTooLarge, "the ledger of this conversation has " +
                                     std::to_string(kMaxLedgerItems) +
                                     " items, the limit; evict some"};
}

Status Mark(sqlite::Database& db, const std::string& conversation, const LedgerEntry& entry) {
  ASSIGN_OR_RETURN(auto insert,
                   db.Prepare("INSERT INTO ledger(conversation, item, value, turn, marked_ms)"
                              " VALUES(?,?,?,?,?) ON CONFLICT(conversation, item) DO UPDATE SET"
                              " value = excluded.value, turn = excluded.turn,"
                              " marked_ms = excluded.marked_ms"));
  insert.Bind(conversation).Bind(entry.mark.item).Bind(entry.mark.value).Bind(entry.turn);
  return insert.Bind(entry.marked_ms).Run();
}

}  // namespace

const char* const kSeenItemsSchema = R"sql(
CREATE TABLE seen_items(
  conversation TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY(conversation, key)
) STRICT, WITHOUT ROWID;
)sql";

#define LEDGER_TABLE                  \
  "CREATE TABLE ledger("              \
  "  conversation TEXT NOT NULL,"     \
  "  item TEXT NOT NULL,"             \
  "  value TEXT NOT NULL,"            \
  "  turn INTEGER NOT NULL,"          \
  "  marked_ms INTEGER NOT NULL,"     \
  "  PRIMARY KEY(conversation, item)" \
  ") STRICT, WITHOUT ROWID;"
const char* const kLedgerSchema = LEDGER_TABLE;

// Migrates the older list of keys, where the revision is the last part of an observation's key; the
// highest revision wins.
const char* const kLedgerStep = LEDGER_TABLE R"sql(
INSERT OR REPLACE INTO ledger(conversation, item, value, turn, marked_ms)
  SELECT conversation,
    substr(key, 1, 11 + instr(substr(key, 13), ':')),
    substr(key, 13 + instr(substr(key, 13), ':')), 0, 0
  FROM seen_items WHERE key LIKE 'observation:%:%' ORDER BY length(key), key;
INSERT OR REPLACE INTO ledger(conversation, item, value, turn, marked_ms)
  SELECT conversation, key, 'injected', 0, 0
  FROM seen_items WHERE key NOT LIKE 'observation:%:%';
DROP TABLE seen_items;
)sql";

Result<Ledger> ReadLedger(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT item, value FROM ledger WHERE conversation = ?"));
  query.Bind(conversation);
  Ledger ledger;
  RETURN_IF_ERROR(
      query.ForEachRow([&](const sqlite::Statement& row) { ledger[row.Text(0)] = row.Text(1); }));
  return ledger;
}

Result<std::vector<LedgerEntry>> LedgerEntries(sqlite::Database& db,
                                               const std::string& conversation,
                                               const LedgerPlace& behind, int64_t limit) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT item, value, turn, marked_ms FROM ledger"
                                          " WHERE conversation = ? AND (marked_ms, item) > (?, ?)"
                                          " ORDER BY marked_ms, item LIMIT ?"));
  query.Bind(conversation).Bind(behind.marked_ms).Bind(behind.item).Bind(limit);
  return query.ReadAll(ReadEntry);
}

Result<std::optional<LedgerEntry>> FindInLedger(sqlite::Database& db,
                                                const std::string& conversation,
                                                const std::string& item) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT item, value, turn, marked_ms FROM ledger"
                                          " WHERE conversation = ? AND item = ?"));
  query.Bind(conversation).Bind(item);
  return query.ReadFirst(ReadEntry);
}

Status MarkInLedger(sqlite::Database& db, const std::string& conversation,
                    const LedgerEntry& entry) {
  ASSIGN_OR_RETURN(auto count, db.Prepare("SELECT count(*) FROM ledger"
                                          " WHERE conversation = ? AND item <> ?"));
  count.Bind(conversation).Bind(entry.mark.item);
  ASSIGN_OR_RETURN([[maybe_unused]] const bool counted, count.Step());
  if (count.Int(0) >= kMaxLedgerItems) return LedgerIsFull();
  return Mark(db, conversation, entry);
}

Result<int64_t> AddToLedger(sqlite::Database& db, const std::string& conversation,
                            const std::vector<LedgerEntry>& entries) {
  ASSIGN_OR_RETURN(Ledger marked, ReadLedger(db, conversation));
  std::vector<const LedgerEntry*> added;
  for (const LedgerEntry& entry : entries)
    if (marked.emplace(entry.mark.item, entry.mark.value).second) added.push_back(&entry);
  if (std::ssize(marked) > kMaxLedgerItems && !added.empty()) return LedgerIsFull();
  for (const LedgerEntry* entry : added) RETURN_IF_ERROR(Mark(db, conversation, *entry));
  return std::ssize(added);
}

Result<bool> EvictFromLedger(sqlite::Database& db, const std::string& conversation,
                             const std::string& item) {
  ASSIGN_OR_RETURN(const auto found, FindInLedger(db, conversation, item));
  if (!found) return false;
  ASSIGN_OR_RETURN(auto remove,
                   db.Prepare("DELETE FROM ledger WHERE conversation = ? AND item = ?"));
  RETURN_IF_ERROR(remove.Bind(conversation).Bind(item).Run());
  return true;
}

Result<std::string> LedgerAfter(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT min(conversation) FROM ledger WHERE conversation > ?"));
  ASSIGN_OR_RETURN([[maybe_unused]] const bool found, query.Bind(conversation).Step());
  return query.Text(0);
}

Status ClearLedger(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto remove, db.Prepare("DELETE FROM ledger WHERE conversation = ?"));
  return remove.Bind(conversation).Run();
}

}  // namespace conversation
