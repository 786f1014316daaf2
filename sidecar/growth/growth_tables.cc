// Triggers maintain the totals by kind, since counting rows would read the whole file. Eviction by
// size spares the newest rows by their order, not by a clock: after a restart the retention clock
// advances by at most a day, so an agent that is stopped for weeks would keep all rows otherwise
// (ADR 37).
#include "sidecar/growth/growth_tables.h"

#include <optional>
#include <utility>

#include "lib/conversation/sqlite/rows.h"

namespace sidecar {
namespace {

using base::Result;
using base::Status;

constexpr int64_t kMostExamined = 200;  // ledgers in one piece
constexpr size_t kRowsPerClockRead = 20;

int64_t Number(const sqlite::Statement& row) { return row.Int(0); }

std::string Name(const sqlite::Statement& row) { return row.Text(0); }

// The first column of the row after the `newest` newest ones; nullopt: there are fewer rows.
Result<std::optional<int64_t>> AfterNewest(sqlite::Statement query, int64_t newest) {
  query.Bind(newest);
  return query.ReadFirst(Number);
}

// Whether the ledger is of an unknown conversation, and its newest entry old.
Result<bool> IsAbandoned(sqlite::Database& db, const std::string& conversation, int64_t before_ms) {
  ASSIGN_OR_RETURN(auto known, db.Prepare("SELECT 1 FROM conversations WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool there, known.Bind(conversation).Step());
  if (there) return false;
  ASSIGN_OR_RETURN(auto newest,
                   db.Prepare("SELECT max(marked_ms) FROM ledger WHERE conversation = ?"));
  ASSIGN_OR_RETURN(const bool marked, newest.Bind(conversation).Step());
  return marked && newest.Int(0) < before_ms;
}

Result<std::string> NextLedger(sqlite::Database& db, const std::string& after) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT min(conversation) FROM ledger WHERE conversation > ?"));
  ASSIGN_OR_RETURN([[maybe_unused]] const bool found, query.Bind(after).Step());
  return query.Text(0);
}

}  // namespace

// The approximate size of a row: the bytes of its columns and a constant.
#define BYTES(column) "length(CAST(" column " AS BLOB)) + "
#define ANSWER_BYTES(row) BYTES(row "conversation") BYTES(row "event") BYTES(row "answer") "20"
#define INJECTION_BYTES(row) \
  BYTES(row "conversation") BYTES(row "text") BYTES(row "query") BYTES(row "items") "200"
#define LEDGER_BYTES(row) BYTES(row "conversation") BYTES(row "item") BYTES(row "value") "20"
#define CONVERSATION_BYTES(row) BYTES(row "id") BYTES(row "fields") "100"
#define MESSAGE_BYTES(row)  \
  BYTES(row "conversation") \
  BYTES(row "content")      \
  "coalesce(length(CAST(" row "tool_calls AS BLOB)), 0) + " BYTES(row "tool_call_id") "60"
#define AUDIT_BYTES(row) BYTES(row "conversation") BYTES(row "details") "60"
#define COUNTED(table, kind, weight) \
  "INSERT INTO growth_totals SELECT '" kind "', count(*), coalesce(sum(" weight("") "), 0)"     \
  " FROM " table ";\n"                                                                          \
  "CREATE TRIGGER " table "_counted AFTER INSERT ON " table " BEGIN UPDATE growth_totals"       \
  " SET row_count = row_count + 1, byte_count = byte_count + " weight("NEW.")                   \
  " WHERE kind = '" kind "'; END;\n"                                                            \
  "CREATE TRIGGER " table "_uncounted AFTER DELETE ON " table " BEGIN UPDATE growth_totals"     \
  " SET row_count = row_count - 1, byte_count = byte_count - (" weight("OLD.") ")"              \
  " WHERE kind = '" kind "'; END;\n"
#define WEIGHED(table, column, kind)                                                  \
  "CREATE TRIGGER " table "_weighed AFTER UPDATE OF " column " ON " table             \
  " BEGIN UPDATE growth_totals SET byte_count = byte_count + length(CAST(NEW." column \
  " AS BLOB)) - length(CAST(OLD." column " AS BLOB)) WHERE kind = '" kind "'; END;\n"

const char* const kGrowthStep =
    "CREATE TABLE growth_totals(kind TEXT PRIMARY KEY NOT NULL, row_count INTEGER NOT NULL,"
    " byte_count INTEGER NOT NULL) STRICT, WITHOUT ROWID;\n"
    "CREATE INDEX injections_by_age ON injections(created_ms);\n" COUNTED("handled_events",
                                                                          "answers", ANSWER_BYTES)
        COUNTED("injections", "injections", INJECTION_BYTES)
            COUNTED("ledger", "ledgers", LEDGER_BYTES) WEIGHED("ledger", "value", "ledgers")
                COUNTED("conversations", "conversations", CONVERSATION_BYTES)
                    WEIGHED("conversations", "fields", "conversations")
                        COUNTED("messages", "messages", MESSAGE_BYTES)
                            COUNTED("audit_log", "audit", AUDIT_BYTES);

Result<std::map<std::string, GrowthTotal>> GrowthTotals(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT kind, row_count, byte_count FROM growth_totals"));
  std::map<std::string, GrowthTotal> totals;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) {
    totals[row.Text(0)] = {row.Int(1), row.Int(2)};
  }));
  return totals;
}

Result<int64_t> RemoveNumbers(sqlite::Database& db, const char* remove,
                              const std::vector<int64_t>& numbers) {
  ASSIGN_OR_RETURN(const int64_t used_before, db.UsedBytes());
  int64_t removed = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    ASSIGN_OR_RETURN(auto row, db.Prepare(remove));
    RETURN_IF_ERROR(row.Bind(numbers[i]).Run());
    removed += db.Changes();
    if (i % kRowsPerClockRead != kRowsPerClockRead - 1) continue;
    ASSIGN_OR_RETURN(const int64_t used, db.UsedBytes());
    if (used_before - used >= kBytesOfAPiece) break;
  }
  return removed;
}

Result<int64_t> RemoveAnswers(sqlite::Database& db, const Cut& cut) {
  int64_t before_ms = cut.before_ms;
  if (cut.reason == Cut::Reason::kShare) {
    ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT created_ms FROM handled_events"
                                            " ORDER BY created_ms DESC LIMIT 1 OFFSET ?"));
    ASSIGN_OR_RETURN(const auto newest, AfterNewest(std::move(query), kNewestAnswers));
    if (!newest) return int64_t{0};
    before_ms = *newest + 1;
  }
  ASSIGN_OR_RETURN(auto remove,
                   db.Prepare("DELETE FROM handled_events WHERE (conversation, event) IN"
                              " (SELECT conversation, event FROM handled_events"
                              " WHERE created_ms < ? ORDER BY created_ms LIMIT ?)"));
  RETURN_IF_ERROR(remove.Bind(before_ms).Bind(kRowsOfAPiece).Run());
  return db.Changes();
}

Result<int64_t> RemoveInjections(sqlite::Database& db, const Cut& cut) {
  constexpr const char* kRemove = "DELETE FROM injections WHERE number = ?";
  if (cut.reason == Cut::Reason::kAge) {
    ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT number FROM injections WHERE created_ms < ?"
                                            " ORDER BY created_ms LIMIT ?"));
    query.Bind(cut.before_ms).Bind(kRowsOfAPiece);
    ASSIGN_OR_RETURN(const auto numbers, query.ReadAll(Number));
    return RemoveNumbers(db, kRemove, numbers);
  }
  ASSIGN_OR_RETURN(auto newest, db.Prepare("SELECT number FROM injections ORDER BY number DESC"
                                           " LIMIT 1 OFFSET ?"));
  ASSIGN_OR_RETURN(const auto last, AfterNewest(std::move(newest), kNewestInjections));
  if (!last) return int64_t{0};
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT number FROM injections WHERE number <= ?"
                                          " ORDER BY number LIMIT ?"));
  query.Bind(*last).Bind(kRowsOfAPiece);
  ASSIGN_OR_RETURN(const auto numbers, query.ReadAll(Number));
  return RemoveNumbers(db, kRemove, numbers);
}

Result<LedgerPiece> RemoveUnknownLedgers(sqlite::Database& db, const Cut& cut,
                                         const std::string& after) {
  LedgerPiece piece{0, after, false};
  for (int64_t i = 0; i < kMostExamined && piece.removed < kRowsOfAPiece; ++i) {
    ASSIGN_OR_RETURN(const std::string conversation, NextLedger(db, piece.next));
    piece.last = conversation.empty();
    if (piece.last) return piece;
    ASSIGN_OR_RETURN(const bool goes, IsAbandoned(db, conversation, cut.before_ms));
    if (goes) {
      ASSIGN_OR_RETURN(auto remove,
                       db.Prepare("DELETE FROM ledger WHERE conversation = ?1 AND item IN"
                                  " (SELECT item FROM ledger WHERE conversation = ?1 LIMIT ?2)"));
      RETURN_IF_ERROR(remove.Bind(conversation).Bind(kRowsOfAPiece).Run());
      piece.removed += db.Changes();
      if (db.Changes() == kRowsOfAPiece) return piece;  // the ledger may have more rows
    }
    piece.next = conversation;
  }
  return piece;
}

Result<std::vector<std::string>> EndedConversations(sqlite::Database& db, const Cut& cut) {
  // A lane is a memory session of the conversation, or the conversation itself. Dead letters count,
  // since they may be replayed.
#define ENDED_AND_DELIVERED                                                               \
  "SELECT id FROM conversations AS c WHERE state = 'ended'"                               \
  " AND NOT EXISTS (SELECT 1 FROM outbox WHERE lane = c.id)"                              \
  " AND NOT EXISTS (SELECT 1 FROM memory_sessions AS s JOIN outbox AS o ON o.lane = s.id" \
  " WHERE s.conversation = c.id)"
  if (cut.reason == Cut::Reason::kAge) {
    ASSIGN_OR_RETURN(auto query, db.Prepare(ENDED_AND_DELIVERED
                                            " AND updated_ms <= ? ORDER BY updated_ms LIMIT ?"));
    query.Bind(cut.before_ms).Bind(kConversationsTogether);
    return query.ReadAll(Name);
  }
  ASSIGN_OR_RETURN(auto query, db.Prepare(ENDED_AND_DELIVERED
                                          " AND touched < (SELECT max(touched) FROM conversations)"
                                          " ORDER BY touched LIMIT ?"));
  query.Bind(kConversationsTogether);
  return query.ReadAll(Name);
}
#undef ENDED_AND_DELIVERED

Result<std::vector<std::string>> LongConversations(sqlite::Database& db) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT id FROM conversations WHERE state = 'open' AND message_count > ?1 UNION"
                 " SELECT id FROM conversations WHERE message_count > ?1"
                 " AND touched = (SELECT max(touched) FROM conversations)"));
  query.Bind(kNewestMessages);
  return query.ReadAll(Name);
}

Result<int64_t> RemoveOldMessages(sqlite::Database& db, const Cut& cut,
                                  const std::string& conversation) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT number, created_ms FROM messages WHERE conversation = ?1 AND sequence <="
                 " (SELECT message_count FROM conversations WHERE id = ?1) - ?2"
                 " AND role <> 'system' ORDER BY sequence LIMIT ?3"));
  query.Bind(conversation).Bind(kNewestMessages).Bind(kRowsOfAPiece);
  std::vector<int64_t> numbers;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) {
    // Stops at the first row to keep, so that the sequence has no gaps.
    if (cut.reason == Cut::Reason::kAge && row.Int(1) >= cut.before_ms) return false;
    numbers.push_back(row.Int(0));
    return true;
  }));
  ASSIGN_OR_RETURN(const int64_t removed,
                   RemoveNumbers(db, "DELETE FROM messages WHERE number = ?", numbers));
  RETURN_IF_ERROR(conversation::RemoveEmptyBlocks(db, conversation));
  return removed;
}

}  // namespace sidecar
