// Statements of checkpoints, fields, ledgers and tasks. A checkpoint's document is its last column,
// so that a list reads none of its pages. The ledger has no rowid: the table is its primary key
// (conversation, item), which each turn's lookups use.
#include <utility>

#include "lib/conversation/sqlite/rows.h"

namespace conversation {
namespace {

using base::Result;
using base::Status;

#define WORKING_FIELDS                                               \
  "SELECT conversation, fields, bytes, version, ttl_ms, expires_ms," \
  " row_is_sound('working_memory', number, checksum, conversation, fields) FROM working_memory "

FieldsRow ReadFieldsRow(const sql::Statement& row) {
  return {row.Text(0), row.Text(1), row.Int(2),     row.Int(3),
          row.Int(4),  row.Int(5),  row.Int(6) != 0};
}

LedgerEntry ReadEntry(const sql::Statement& row) {
  return {{row.Text(0), row.Text(1)}, row.Int(2), row.Int(3)};
}

Result<int64_t> NumberOr0(sql::Statement& query) {
  ASSIGN_OR_RETURN(const bool there, query.Step());
  return there ? query.Int(0) : int64_t{0};
}

}  // namespace

Result<std::vector<CheckpointRow>> SqliteRows::Checkpoints(const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare("SELECT generation, step, bytes, saved_ms, expires_ms,"
                                           " sha256 FROM checkpoints WHERE conversation = ?1"
                                           " ORDER BY generation DESC"));
  query.Bind(conversation);
  return query.ReadAll([](const sql::Statement& row) {
    return CheckpointRow{row.Int(0), row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Text(5)};
  });
}

Status SqliteRows::InsertCheckpoint(const std::string& owner, const std::string& conversation,
                                    const CheckpointRow& row, const std::string& document) {
  ASSIGN_OR_RETURN(
      auto insert,
      db_.Prepare("INSERT INTO checkpoints(owner, conversation, generation, step, saved_ms,"
                  " expires_ms, bytes, sha256, document, checksum)"
                  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
                  " row_checksum(?2, ?3, ?4, ?5, ?6, ?8, ?9))"));
  insert.Bind(owner).Bind(conversation).Bind(row.generation).Bind(row.step);
  insert.Bind(row.saved_ms).Bind(row.expires_ms).Bind(row.bytes).Bind(row.sha256);
  return insert.Bind(document).Run();
}

Status SqliteRows::RemoveCheckpoints(const std::string& conversation, int64_t up_to_generation,
                                     int64_t expired_ms) {
  ASSIGN_OR_RETURN(auto remove, db_.Prepare("DELETE FROM checkpoints WHERE conversation = ?1 AND"
                                            " (generation <= ?2 OR expires_ms <= ?3)"));
  return remove.Bind(conversation).Bind(up_to_generation).Bind(expired_ms).Run();
}

Rows::Found<StoredDocument> SqliteRows::CheckpointDocument(const std::string& conversation,
                                                           int64_t generation) {
  ASSIGN_OR_RETURN(
      auto query,
      db_.Prepare("SELECT document, sha256, row_is_sound('checkpoints', number, checksum,"
                  " conversation, generation, step, saved_ms, expires_ms, sha256, document)"
                  " FROM checkpoints WHERE conversation = ?1 AND generation = ?2"));
  query.Bind(conversation).Bind(generation);
  return query.ReadFirst([](const sql::Statement& row) {
    return StoredDocument{row.Text(0), row.Text(1), row.Int(2) != 0};
  });
}

Result<int64_t> SqliteRows::RemoveExpiredCheckpoints(int64_t expired_ms, int64_t limit) {
  ASSIGN_OR_RETURN(
      auto remove,
      db_.Prepare("DELETE FROM checkpoints WHERE number IN (SELECT number FROM"
                  " checkpoints WHERE expires_ms <= ?1 ORDER BY expires_ms LIMIT ?2)"));
  RETURN_IF_ERROR(remove.Bind(expired_ms).Bind(limit).Run());
  return db_.Changes();
}

Result<int64_t> SqliteRows::CheckpointBytes(const std::string& owner) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare("SELECT bytes FROM checkpoint_totals WHERE owner = ?1"));
  return NumberOr0(query.Bind(owner));
}

Rows::Found<FieldsRow> SqliteRows::FindFields(const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare(WORKING_FIELDS "WHERE conversation = ?1"));
  query.Bind(conversation);
  return query.ReadFirst(ReadFieldsRow);
}

Status SqliteRows::SaveFields(const std::string& owner, const FieldsRow& row) {
  ASSIGN_OR_RETURN(
      auto write,
      db_.Prepare("INSERT INTO working_memory(owner, conversation, fields, bytes, version, ttl_ms,"
                  " expires_ms, checksum) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, row_checksum(?2, ?3))"
                  " ON CONFLICT(conversation) DO UPDATE SET fields = excluded.fields,"
                  " bytes = excluded.bytes, version = excluded.version, ttl_ms = excluded.ttl_ms,"
                  " expires_ms = excluded.expires_ms, checksum = excluded.checksum"));
  write.Bind(owner).Bind(row.conversation).Bind(row.fields).Bind(row.bytes).Bind(row.version);
  return write.Bind(row.ttl_ms).Bind(row.expires_ms).Run();
}

Result<FieldTotals> SqliteRows::TotalsOfFields(const std::string& owner) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare("SELECT conversations, bytes FROM working_memory_totals"
                                           " WHERE owner = ?1"));
  query.Bind(owner);
  ASSIGN_OR_RETURN(const auto totals, query.ReadFirst([](const sql::Statement& row) {
    return FieldTotals{row.Int(0), row.Int(1)};
  }));
  return totals.value_or(FieldTotals());
}

Status SqliteRows::RefreshFields(const FieldRefreshMap& refreshes) {
  for (const auto& [conversation, refresh] : refreshes) {
    ASSIGN_OR_RETURN(auto update,
                     db_.Prepare("UPDATE working_memory SET expires_ms = max(expires_ms, ?3)"
                                 " WHERE conversation = ?1 AND version = ?2"));
    update.Bind(conversation).Bind(refresh.version).Bind(refresh.expires_ms);
    RETURN_IF_ERROR(update.Run());
  }
  return {};
}

Result<int64_t> SqliteRows::RemoveExpiredFields(int64_t expired_ms, int64_t limit) {
  ASSIGN_OR_RETURN(auto remove,
                   db_.Prepare("DELETE FROM working_memory WHERE number IN (SELECT number FROM"
                               " working_memory WHERE expires_ms <= ?1 ORDER BY expires_ms"
                               " LIMIT ?2)"));
  RETURN_IF_ERROR(remove.Bind(expired_ms).Bind(limit).Run());
  return db_.Changes();
}

Result<std::vector<FieldsRow>> SqliteRows::ListFields(const std::string& owner,
                                                      const std::string& after, int64_t limit) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare(WORKING_FIELDS "WHERE conversation > ?1 AND owner = ?2"
                                                          " ORDER BY conversation LIMIT ?3"));
  query.Bind(after).Bind(owner).Bind(limit);
  return query.ReadAll(ReadFieldsRow);
}

Result<int64_t> SqliteRows::LoadClock() {
  ASSIGN_OR_RETURN(auto query, db_.Prepare("SELECT now_ms FROM working_memory_clock"));
  return NumberOr0(query);
}

Status SqliteRows::SaveClock(int64_t now_ms) {
  // Saves no clock for empty tables, so that an idle program writes nothing.
  ASSIGN_OR_RETURN(auto save,
                   db_.Prepare("INSERT INTO working_memory_clock(only_one, now_ms)"
                               " SELECT 1, ?1 WHERE EXISTS(SELECT 1 FROM working_memory)"
                               " OR EXISTS(SELECT 1 FROM checkpoints) ON CONFLICT(only_one) DO "
                               "UPDATE SET now_ms = excluded.now_ms"));
  return save.Bind(now_ms).Run();
}

Result<Ledger> SqliteRows::ReadLedger(const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT item, value FROM ledger WHERE conversation = ?1"));
  query.Bind(conversation);
  Ledger ledger;
  RETURN_IF_ERROR(
      query.ForEachRow([&](const sql::Statement& row) { ledger[row.Text(0)] = row.Text(1); }));
  return ledger;
}

Result<std::vector<LedgerEntry>> SqliteRows::ListLedger(const std::string& conversation,
                                                        const LedgerPlace& behind, int64_t limit) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT item, value, turn, marked_ms FROM ledger"
                               " WHERE conversation = ?1 AND (marked_ms, item) > (?2, ?3)"
                               " ORDER BY marked_ms, item LIMIT ?4"));
  query.Bind(conversation).Bind(behind.marked_ms).Bind(behind.item).Bind(limit);
  return query.ReadAll(ReadEntry);
}

Rows::Found<LedgerEntry> SqliteRows::FindInLedger(const std::string& conversation,
                                                  const std::string& item) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare("SELECT item, value, turn, marked_ms FROM ledger"
                                           " WHERE conversation = ?1 AND item = ?2"));
  query.Bind(conversation).Bind(item);
  return query.ReadFirst(ReadEntry);
}

Result<int64_t> SqliteRows::CountLedger(const std::string& conversation,
                                        const std::string& except_item) {
  ASSIGN_OR_RETURN(auto count, db_.Prepare("SELECT count(*) FROM ledger"
                                           " WHERE conversation = ?1 AND item <> ?2"));
  return NumberOr0(count.Bind(conversation).Bind(except_item));
}

Status SqliteRows::SaveInLedger(const std::string& conversation,
                                const std::vector<LedgerEntry>& entries) {
  for (const LedgerEntry& entry : entries) {
    ASSIGN_OR_RETURN(
        auto insert,
        db_.Prepare("INSERT INTO ledger(conversation, item, value, turn, marked_ms)"
                    " VALUES(?1,?2,?3,?4,?5) ON CONFLICT(conversation, item) DO UPDATE SET"
                    " value = excluded.value, turn = excluded.turn,"
                    " marked_ms = excluded.marked_ms"));
    insert.Bind(conversation).Bind(entry.item.name).Bind(entry.item.value).Bind(entry.turn);
    RETURN_IF_ERROR(insert.Bind(entry.marked_ms).Run());
  }
  return {};
}

Result<int64_t> SqliteRows::RemoveFromLedger(const std::string& conversation,
                                             const std::optional<std::string>& item) {
  ASSIGN_OR_RETURN(auto remove,
                   item ? db_.Prepare("DELETE FROM ledger WHERE conversation = ?1 AND item = ?2")
                        : db_.Prepare("DELETE FROM ledger WHERE conversation = ?1"));
  remove.Bind(conversation);
  if (item) remove.Bind(*item);
  RETURN_IF_ERROR(remove.Run());
  return db_.Changes();
}

Result<std::string> SqliteRows::NextLedger(const std::string& after) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT min(conversation) FROM ledger WHERE conversation > ?1"));
  ASSIGN_OR_RETURN([[maybe_unused]] const bool found, query.Bind(after).Step());
  return query.Text(0);
}

Rows::Found<std::string> SqliteRows::FindTask(const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT state, row_is_sound('task_states', rowid, checksum,"
                               " conversation, state, updated_ms) FROM task_states"
                               " WHERE conversation = ?1"));
  ASSIGN_OR_RETURN(const bool there, query.Bind(conversation).Step());
  if (!there || query.Int(1) == 0) return std::optional<std::string>();
  return std::optional(query.Text(0));
}

Status SqliteRows::SaveTask(const std::string& conversation, const std::string& state,
                            int64_t now_ms) {
  ASSIGN_OR_RETURN(
      auto write,
      db_.Prepare("INSERT INTO task_states(conversation, state, updated_ms, checksum)"
                  " VALUES(?1, ?2, ?3, row_checksum(?1, ?2, ?3)) ON CONFLICT(conversation)"
                  " DO UPDATE SET state = excluded.state, updated_ms = excluded.updated_ms,"
                  " checksum = excluded.checksum"));
  return write.Bind(conversation).Bind(state).Bind(now_ms).Run();
}

}  // namespace conversation
