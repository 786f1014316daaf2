// Stores turns as JSON in one table.
#include "memory/sqlite/turns/sqlite_turns.h"

#include "lib/base/process/random.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int64_t kKeptMs = 7 * 24 * 3'600'000LL;  // states of done turns
constexpr int64_t kRemovedAtOnce = 500;
constexpr int64_t kCharactersOfToken = 3;  // as blocks count them

std::string OwnerOf(const TraceContext& context) {
  return base::DumpJson({base::FoldCase(context.project), context.user, context.agent});
}

Json EncodeContext(const TraceContext& context) {
  return {context.project, context.conversation, context.user, context.agent};
}

Json EncodeTurn(const Turn& turn) {
  return {{"user", turn.user},
          {"assistant", turn.assistant},
          {"settings", turn.settings},
          {"source", api::EncodeSource(turn.source)}};
}

Result<Turn> DecodeTurn(const std::string& context, const std::string& body) {
  Turn turn;
  ASSIGN_OR_RETURN(const Json names, base::ParseJson(context));
  if (!names.is_array() || names.size() != 4)
    return Error{Code::kInternal, "the context of a turn is damaged"};
  turn.context = {names[0].get<std::string>(), names[1].get<std::string>(),
                  names[2].get<std::string>(), names[3].get<std::string>()};
  ASSIGN_OR_RETURN(const Json said, base::ParseJson(body));
  turn.user = base::StringAt(said, {"user"});
  turn.assistant = base::StringAt(said, {"assistant"});
  turn.settings = said.value("settings", Json::object());
  ASSIGN_OR_RETURN(turn.source, api::DecodeSource(said));
  return turn;
}

// The id of a turn with a key is derived from the key and its owner, so that a repetition finds it,
// and the same key of another user does not.
std::string IdOf(const RequestKey& key, const std::string& owner) {
  if (key.key.empty()) return "turn_" + base::RandomUuid();
  return "turn_" + base::Sha256Hex(key.caller + "\n" + key.key + "\n" + owner).substr(0, 32);
}

// The id that an earlier version derived.
std::string EarlierIdOf(const RequestKey& key) {
  return "turn_" + base::Sha256Hex(key.caller + "\n" + key.key).substr(0, 32);
}

}  // namespace

Result<int64_t> CountPendingTurns(Database& database) {
  ASSIGN_OR_RETURN(Statement count, database.Prepare("SELECT count(*) FROM ingest_turns WHERE "
                                                     "state = 'pending'"));
  ASSIGN_OR_RETURN(const auto pending, count.ReadFirst(IntAt));
  return pending.value_or(0);
}

Status SqliteTurns::RefuseBeyondLimit() const {
  if (pending_ < kMaxPendingTurns) return {};
  return Error{Code::kUnavailable, std::to_string(pending_) +
                                       " turns wait for their facts, the limit is " +
                                       std::to_string(kMaxPendingTurns) + "; try again"};
}

// An owner may have as many as there is room for others.
Status SqliteTurns::RefuseBeyondShare(Database& database, const std::string& owner) const {
  if (pending_ * 2 < kMaxPendingTurns) return {};
  ASSIGN_OR_RETURN(Statement count,
                   database.Prepare("SELECT count(*) FROM ingest_turns WHERE state "
                                    "= 'pending' AND owner = ?1"));
  ASSIGN_OR_RETURN(const bool there, count.Bind(owner).Step());
  const int64_t own = there ? count.Int(0) : 0, room = kMaxPendingTurns - pending_;
  if (own < room) return {};
  return Error{Code::kUnavailable, std::to_string(own) +
                                       " turns of this user wait for their facts, and the room for "
                                       "those of others is " +
                                       std::to_string(room) + "; try again"};
}

Result<TurnAccepted> SqliteTurns::Accept(const Turn& turn, const RequestKey& key) {
  RETURN_IF_ERROR(parts_.admit());
  RETURN_IF_ERROR(RefuseBeyondLimit());
  const std::string body = base::DumpJson(EncodeTurn(turn));
  const std::string context = base::DumpJson(EncodeContext(turn.context));
  const std::string digest = base::Sha256Hex(context + body);
  const std::string owner = OwnerOf(turn.context), id = IdOf(key, owner);
  TurnAccepted accepted;
  const int64_t now_ms = parts_.clock.NowMs();
  RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
    accepted = {id, false, false};  // the writer may run it twice
    ASSIGN_OR_RETURN(Statement find,
                     database.Prepare("SELECT digest, uuid FROM ingest_turns WHERE uuid IN (?1, "
                                      "?2) AND owner = ?3"));
    find.Bind(id).Bind(key.key.empty() ? id : EarlierIdOf(key)).Bind(owner);
    ASSIGN_OR_RETURN(accepted.repeated, find.Step());
    if (accepted.repeated) {
      accepted.id = find.Text(1);
      accepted.key_reused = find.Text(0) != digest;
      return {};
    }
    RETURN_IF_ERROR(RefuseBeyondShare(database, owner));
    ASSIGN_OR_RETURN(
        Statement insert,
        database.Prepare("INSERT INTO ingest_turns(uuid, digest, owner, context, body, state, "
                         "received_ms) VALUES(?1, ?2, ?3, ?4, ?5, 'pending', ?6)"));
    insert.Bind(id).Bind(digest).Bind(owner).Bind(context).Bind(body);
    return insert.Bind(now_ms).Run();
  }));
  if (!accepted.repeated) ++pending_;
  return accepted;
}

Result<std::optional<TurnState>> SqliteTurns::Find(const TraceContext& context,
                                                   const std::string& id) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(Statement find,
                   snapshot.database().Prepare("SELECT state, facts, reason FROM ingest_turns "
                                               "WHERE uuid = ?1 AND owner = ?2"));
  ASSIGN_OR_RETURN(const bool there, find.Bind(id).Bind(OwnerOf(context)).Step());
  if (!there) return std::optional<TurnState>();
  TurnState state{find.Text(0), Json::array(), find.Text(2)};
  ASSIGN_OR_RETURN(state.facts, base::ParseJson(find.Text(1)));
  return std::optional(std::move(state));
}

// The owners take turns, so that none waits for all turns of another.
Result<std::optional<std::string>> SqliteTurns::NextOwner(Database& database) {
  const std::string last = last_owner_.With([](const std::string& owner) { return owner; });
  for (const std::string& after : {last, std::string()}) {
    ASSIGN_OR_RETURN(Statement next,
                     database.Prepare("SELECT owner FROM ingest_turns WHERE state = 'pending' AND "
                                      "owner > ?1 ORDER BY owner LIMIT 1"));
    ASSIGN_OR_RETURN(const bool there, next.Bind(after).Step());
    if (!there) continue;
    std::string owner = next.Text(0);
    last_owner_.With([&](std::string& mine) { mine = owner; });
    return std::optional(std::move(owner));
  }
  return std::optional<std::string>();
}

Result<std::optional<PendingTurn>> SqliteTurns::Next() {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(const auto owner, NextOwner(snapshot.database()));
  if (!owner) return std::optional<PendingTurn>();
  ASSIGN_OR_RETURN(Statement next,
                   snapshot.database().Prepare("SELECT number, uuid, context, body, tries FROM "
                                               "ingest_turns WHERE state = 'pending' AND owner = "
                                               "?1 ORDER BY tries, number LIMIT 1"));
  ASSIGN_OR_RETURN(const bool there, next.Bind(*owner).Step());
  if (!there) return std::optional<PendingTurn>();
  PendingTurn pending{next.Int(0), next.Text(1), {}, next.Int(4)};
  ASSIGN_OR_RETURN(pending.turn, DecodeTurn(next.Text(2), next.Text(3)));
  return std::optional(std::move(pending));
}

Result<TurnsDue> SqliteTurns::Finish(const PendingTurn& turn, const Json& facts,
                                     int64_t reflect_tokens) {
  const int64_t tokens = static_cast<int64_t>(base::CountCharacters(turn.turn.user) +
                                              base::CountCharacters(turn.turn.assistant)) /
                         kCharactersOfToken;
  const std::string owner = OwnerOf(turn.turn.context);
  TurnsDue due;
  bool changed = false;
  RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
    due = {};
    ASSIGN_OR_RETURN(Statement finish,
                     database.Prepare("UPDATE ingest_turns SET state = 'done', body = '{}', "
                                      "facts = ?2 WHERE number = ?1 AND state = 'pending'"));
    RETURN_IF_ERROR(finish.Bind(turn.number).Bind(base::DumpJson(facts)).Run());
    changed = database.Changes() > 0;
    if (!changed) return {};
    ASSIGN_OR_RETURN(
        Statement add,
        database.Prepare("INSERT INTO turn_tokens VALUES(?1, ?2, ?2) ON CONFLICT(owner) DO UPDATE "
                         "SET since_note = since_note + excluded.since_note, since_reflect = "
                         "since_reflect + excluded.since_reflect"));
    RETURN_IF_ERROR(add.Bind(owner).Bind(tokens).Run());
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT since_note >= ?2, since_reflect >= ?3 FROM "
                                      "turn_tokens WHERE owner = ?1"));
    ASSIGN_OR_RETURN(const bool there,
                     read.Bind(owner).Bind(kObserveTokens).Bind(reflect_tokens).Step());
    if (there) due = {read.Int(0) != 0, read.Int(1) != 0};
    ASSIGN_OR_RETURN(Statement begin_again,
                     database.Prepare("UPDATE turn_tokens SET since_note = iif(?2, 0, since_note), "
                                      "since_reflect = iif(?3, 0, since_reflect) WHERE owner = "
                                      "?1"));
    begin_again.Bind(owner).Bind(int64_t{due.note}).Bind(int64_t{due.reflect});
    return begin_again.Run();
  }));
  if (changed) --pending_;
  return due;
}

Status SqliteTurns::Fail(const PendingTurn& turn, const std::string& reason, int64_t most_tries) {
  bool dead = false;
  RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
    ASSIGN_OR_RETURN(
        Statement fail,
        database.Prepare("UPDATE ingest_turns SET tries = tries + 1, reason = ?2, state = "
                         "iif(tries + 1 >= ?3 AND (SELECT count(*) FROM ingest_turns WHERE state "
                         "= 'failed') < ?4, 'failed', state) WHERE number = ?1 AND state = "
                         "'pending' RETURNING state = 'failed'"));
    fail.Bind(turn.number).Bind(reason).Bind(most_tries).Bind(kMaxDeadTurns);
    return fail.ForEachRow([&](const Statement& row) { dead = row.Int(0) != 0; });
  }));
  if (dead) --pending_;
  return {};
}

Result<std::optional<std::string>> SqliteTurns::Retry(const TraceContext& context,
                                                      const std::string& id) {
  RETURN_IF_ERROR(parts_.admit());
  RETURN_IF_ERROR(RefuseBeyondLimit());
  std::optional<std::string> before;
  bool changed = false;
  RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
    before.reset();
    ASSIGN_OR_RETURN(
        Statement find,
        database.Prepare("SELECT state FROM ingest_turns WHERE uuid = ?1 AND owner = ?2"));
    ASSIGN_OR_RETURN(const bool there, find.Bind(id).Bind(OwnerOf(context)).Step());
    if (!there) return {};
    before = find.Text(0);
    ASSIGN_OR_RETURN(
        Statement retry,
        database.Prepare("UPDATE ingest_turns SET state = 'pending', tries = 0, reason "
                         "= '' WHERE uuid = ?1 AND state = 'failed'"));
    RETURN_IF_ERROR(retry.Bind(id).Run());
    changed = database.Changes() > 0;
    return {};
  }));
  if (changed) ++pending_;
  return before;
}

// Writes only if there are old turns.
Status SqliteTurns::Sweep() {
  const int64_t since_ms = parts_.clock.NowMs() - kKeptMs;
  bool any = false;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
    ASSIGN_OR_RETURN(Statement old,
                     snapshot.database().Prepare("SELECT 1 FROM ingest_turns WHERE state = 'done' "
                                                 "AND received_ms < ?1 LIMIT 1"));
    ASSIGN_OR_RETURN(any, old.Bind(since_ms).Step());
  }
  for (int64_t removed = kRemovedAtOnce; any && removed == kRemovedAtOnce;) {
    RETURN_IF_ERROR(parts_.writer.RunAny(
        [&](Database& database) -> Status {
          ASSIGN_OR_RETURN(
              Statement remove,
              database.Prepare("DELETE FROM ingest_turns WHERE number IN (SELECT number FROM "
                               "ingest_turns WHERE state = 'done' AND received_ms < ?1 LIMIT ?2)"));
          RETURN_IF_ERROR(remove.Bind(since_ms).Bind(kRemovedAtOnce).Run());
          removed = database.Changes();
          return {};
        },
        sqlite::Writer::Space::kFrees));
  }
  return {};
}

}  // namespace memory
