// Statements over ingest_turns and turn_tokens. A state stands in the text of a statement where a
// partial index serves it.
#include "memory/sqlite/turns/turn_rows.h"

#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Statement;

Result<int64_t> SqliteTurns::CountPending() {
  ASSIGN_OR_RETURN(Statement count, database_.Prepare("SELECT count(*) FROM ingest_turns WHERE "
                                                      "state = 'pending'"));
  ASSIGN_OR_RETURN(const auto pending, count.ReadFirst(IntAt));
  return pending.value_or(0);
}

Result<int64_t> SqliteTurns::CountPendingOf(const std::string& owner) {
  ASSIGN_OR_RETURN(Statement count,
                   database_.Prepare("SELECT count(*) FROM ingest_turns WHERE state = 'pending' "
                                     "AND owner = ?1"));
  ASSIGN_OR_RETURN(const auto pending, count.Bind(owner).ReadFirst(IntAt));
  return pending.value_or(0);
}

Result<int64_t> SqliteTurns::CountFailed() {
  ASSIGN_OR_RETURN(Statement count, database_.Prepare("SELECT count(*) FROM ingest_turns WHERE "
                                                      "state = 'failed'"));
  ASSIGN_OR_RETURN(const auto failed, count.ReadFirst(IntAt));
  return failed.value_or(0);
}

Result<std::optional<TurnRow>> SqliteTurns::Find(const std::string& id) {
  ASSIGN_OR_RETURN(Statement find,
                   database_.Prepare("SELECT owner, digest, state, reason, facts, tries, "
                                     "received_ms FROM ingest_turns WHERE uuid = ?1"));
  return find.Bind(id).ReadFirst([&](const Statement& row) {
    return TurnRow{id,          row.Text(0), row.Text(1), row.Text(2),
                   row.Text(3), row.Text(4), row.Int(5),  row.Int(6)};
  });
}

Result<std::optional<std::string>> SqliteTurns::OwnerAfter(const std::string& after) {
  ASSIGN_OR_RETURN(Statement next,
                   database_.Prepare("SELECT owner FROM ingest_turns WHERE state = 'pending' AND "
                                     "owner > ?1 ORDER BY owner LIMIT 1"));
  return next.Bind(after).ReadFirst([](const Statement& row) { return row.Text(0); });
}

Result<std::optional<TurnRow>> SqliteTurns::NextOf(const std::string& owner) {
  ASSIGN_OR_RETURN(Statement next,
                   database_.Prepare("SELECT uuid, digest, reason, facts, tries, received_ms, "
                                     "context, body FROM ingest_turns WHERE state = 'pending' AND "
                                     "owner = ?1 ORDER BY tries, number LIMIT 1"));
  return next.Bind(owner).ReadFirst([&](const Statement& row) {
    return TurnRow{row.Text(0), owner,      row.Text(1), kTurnPending, row.Text(2),
                   row.Text(3), row.Int(4), row.Int(5),  row.Text(6),  row.Text(7)};
  });
}

Status SqliteTurns::Add(const TurnRow& row) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database_.Prepare("INSERT INTO ingest_turns(uuid, digest, owner, context, body, state, "
                        "tries, reason, facts, received_ms) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, "
                        "?8, ?9, ?10)"));
  insert.Bind(row.id).Bind(row.digest).Bind(row.owner).Bind(row.context).Bind(row.body);
  insert.Bind(row.state).Bind(row.tries).Bind(row.reason).Bind(row.facts);
  return insert.Bind(row.received_ms).Run();
}

Status SqliteTurns::SetState(const std::string& id, const char* state, int64_t tries,
                             const std::string& reason) {
  ASSIGN_OR_RETURN(Statement set,
                   database_.Prepare("UPDATE ingest_turns SET state = ?2, tries = ?3, reason = ?4 "
                                     "WHERE uuid = ?1"));
  return set.Bind(id).Bind(state).Bind(tries).Bind(reason).Run();
}

Status SqliteTurns::Finish(const std::string& id, const std::string& facts) {
  ASSIGN_OR_RETURN(Statement finish,
                   database_.Prepare("UPDATE ingest_turns SET state = 'done', body = '{}', facts = "
                                     "?2 WHERE uuid = ?1"));
  return finish.Bind(id).Bind(facts).Run();
}

Result<bool> SqliteTurns::HasDone(int64_t before_ms) {
  ASSIGN_OR_RETURN(Statement old, database_.Prepare("SELECT 1 FROM ingest_turns WHERE state = "
                                                    "'done' AND received_ms < ?1 LIMIT 1"));
  return old.Bind(before_ms).Step();
}

Result<int64_t> SqliteTurns::RemoveDone(int64_t before_ms, int64_t limit) {
  ASSIGN_OR_RETURN(
      Statement remove,
      database_.Prepare("DELETE FROM ingest_turns WHERE number IN (SELECT number FROM ingest_turns "
                        "WHERE state = 'done' AND received_ms < ?1 LIMIT ?2)"));
  RETURN_IF_ERROR(remove.Bind(before_ms).Bind(limit).Run());
  return database_.Changes();
}

Result<TurnTokens> SqliteTurns::TokensOf(const std::string& owner) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT since_note, since_reflect FROM "
                                                     "turn_tokens WHERE owner = ?1"));
  ASSIGN_OR_RETURN(const auto tokens, read.Bind(owner).ReadFirst([](const Statement& row) {
    return TurnTokens{row.Int(0), row.Int(1)};
  }));
  return tokens.value_or(TurnTokens());
}

Status SqliteTurns::SetTokens(const std::string& owner, const TurnTokens& tokens) {
  ASSIGN_OR_RETURN(
      Statement set,
      database_.Prepare("INSERT INTO turn_tokens(owner, since_note, since_reflect) VALUES(?1, ?2, "
                        "?3) ON CONFLICT(owner) DO UPDATE SET since_note = excluded.since_note, "
                        "since_reflect = excluded.since_reflect"));
  return set.Bind(owner).Bind(tokens.note).Bind(tokens.reflect).Run();
}

}  // namespace memory
