// Decisions on what the engine finds. The count of pending turns is in memory, so that no request
// and no idle round reads rows for it.
#include "memory/keeping/turns.h"

#include "lib/base/process/random.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr int64_t kKeptMs = 7 * 24 * 3'600'000LL;  // states of done turns
constexpr int64_t kTurnsRemovedAtOnce = 500;
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

Result<Turn> DecodeTurn(const TurnRow& row) {
  Turn turn;
  ASSIGN_OR_RETURN(const Json names, base::ParseJson(row.context));
  if (!names.is_array() || names.size() != 4)
    return Error{Code::kInternal, "the context of a turn is damaged"};
  turn.context = {names[0].get<std::string>(), names[1].get<std::string>(),
                  names[2].get<std::string>(), names[3].get<std::string>()};
  ASSIGN_OR_RETURN(const Json said, base::ParseJson(row.body));
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

// Only its owner sees a turn.
Result<std::optional<TurnRow>> FindOf(TurnRows& rows, const std::string& owner,
                                      const std::string& id) {
  ASSIGN_OR_RETURN(auto row, rows.Find(id));
  if (row && row->owner != owner) row.reset();
  return row;
}

}  // namespace

Status Turns::RefuseBeyondLimit() const {
  if (pending_ < kMaxPendingTurns) return {};
  return Error{Code::kUnavailable, std::to_string(pending_) +
                                       " turns wait for their facts, the limit is " +
                                       std::to_string(kMaxPendingTurns) + "; try again"};
}

// An owner may have as many as there is room for others.
Status Turns::RefuseBeyondShare(TurnRows& rows, const std::string& owner) const {
  if (pending_ * 2 < kMaxPendingTurns) return {};
  ASSIGN_OR_RETURN(const int64_t own, rows.CountPendingOf(owner));
  const int64_t room = kMaxPendingTurns - pending_;
  if (own < room) return {};
  return Error{Code::kUnavailable, std::to_string(own) +
                                       " turns of this user wait for their facts, and the room for "
                                       "those of others is " +
                                       std::to_string(room) + "; try again"};
}

Result<TurnAccepted> Turns::Accept(const Turn& turn, const RequestKey& key) {
  RETURN_IF_ERROR(host_->Admit());
  RETURN_IF_ERROR(RefuseBeyondLimit());
  TurnRow made;
  made.body = base::DumpJson(EncodeTurn(turn));
  made.context = base::DumpJson(EncodeContext(turn.context));
  made.digest = base::Sha256Hex(made.context + made.body);
  made.owner = OwnerOf(turn.context);
  made.id = IdOf(key, made.owner);
  made.received_ms = clock_.NowMs();
  TurnAccepted accepted;
  RETURN_IF_ERROR(host_->Write([&](TurnRows& rows) -> Status {
    accepted = {made.id, false, false};  // the host may run it twice
    ASSIGN_OR_RETURN(auto known, FindOf(rows, made.owner, made.id));
    if (!known && !key.key.empty()) {
      ASSIGN_OR_RETURN(known, FindOf(rows, made.owner, EarlierIdOf(key)));
    }
    if (known) {
      accepted = {known->id, true, known->digest != made.digest};
      return {};
    }
    RETURN_IF_ERROR(RefuseBeyondShare(rows, made.owner));
    return rows.Add(made);
  }));
  if (!accepted.repeated) ++pending_;
  return accepted;
}

Result<std::optional<TurnState>> Turns::Find(const TraceContext& context, const std::string& id) {
  std::optional<TurnState> state;
  RETURN_IF_ERROR(host_->Read([&](TurnRows& rows) -> Status {
    ASSIGN_OR_RETURN(const auto row, FindOf(rows, OwnerOf(context), id));
    if (!row) return {};
    state = TurnState{row->state, Json::array(), row->reason};
    ASSIGN_OR_RETURN(state->facts, base::ParseJson(row->facts));
    return {};
  }));
  return state;
}

// The owners take turns, so that none waits for all turns of another.
Result<std::optional<std::string>> Turns::NextOwner(TurnRows& rows) {
  ASSIGN_OR_RETURN(auto owner, rows.OwnerAfter(last_owner_.Copy()));
  if (!owner) {
    ASSIGN_OR_RETURN(owner, rows.OwnerAfter(""));
  }
  if (owner) last_owner_.Set(*owner);
  return owner;
}

Result<std::optional<PendingTurn>> Turns::Next() {
  int64_t counted = pending_;
  std::optional<PendingTurn> pending;
  RETURN_IF_ERROR(host_->Read([&](TurnRows& rows) -> Status {
    ASSIGN_OR_RETURN(const auto owner, NextOwner(rows));
    if (!owner) return {};
    ASSIGN_OR_RETURN(const auto row, rows.NextOf(*owner));
    if (!row) return {};
    ASSIGN_OR_RETURN(Turn turn, DecodeTurn(*row));
    pending = PendingTurn{row->id, std::move(turn), row->tries};
    return {};
  }));
  // Another process took those that were counted.
  if (!pending) (void)pending_.compare_exchange_strong(counted, 0);
  return pending;
}

Result<TurnsDue> Turns::Finish(const PendingTurn& turn, const Json& facts, int64_t reflect_tokens) {
  const int64_t tokens = static_cast<int64_t>(base::CountCharacters(turn.turn.user) +
                                              base::CountCharacters(turn.turn.assistant)) /
                         kCharactersOfToken;
  const std::string owner = OwnerOf(turn.turn.context);
  TurnsDue due;
  bool finished = false;
  RETURN_IF_ERROR(host_->Write([&](TurnRows& rows) -> Status {
    due = {};
    ASSIGN_OR_RETURN(const auto row, rows.Find(turn.id));
    finished = row && row->state == kTurnPending;
    if (!finished) return {};
    RETURN_IF_ERROR(rows.Finish(turn.id, base::DumpJson(facts)));
    ASSIGN_OR_RETURN(TurnTokens since, rows.TokensOf(owner));
    since = {since.note + tokens, since.reflect + tokens};
    due = {since.note >= kObserveTokens, since.reflect >= reflect_tokens};
    if (due.note) since.note = 0;
    if (due.reflect) since.reflect = 0;
    return rows.SetTokens(owner, since);
  }));
  if (finished) --pending_;
  return due;
}

Status Turns::Fail(const PendingTurn& turn, const std::string& reason, int64_t most_tries) {
  bool dead = false;
  RETURN_IF_ERROR(host_->Write([&](TurnRows& rows) -> Status {
    dead = false;
    ASSIGN_OR_RETURN(const auto row, rows.Find(turn.id));
    if (!row || row->state != kTurnPending) return {};
    const int64_t tries = row->tries + 1;
    if (tries >= most_tries) {
      ASSIGN_OR_RETURN(const int64_t failed, rows.CountFailed());
      dead = failed < kMaxDeadTurns;
    }
    return rows.SetState(turn.id, dead ? kTurnFailed : kTurnPending, tries, reason);
  }));
  if (dead) --pending_;
  return {};
}

Result<std::optional<std::string>> Turns::Retry(const TraceContext& context,
                                                const std::string& id) {
  RETURN_IF_ERROR(host_->Admit());
  RETURN_IF_ERROR(RefuseBeyondLimit());
  std::optional<std::string> before;
  RETURN_IF_ERROR(host_->Write([&](TurnRows& rows) -> Status {
    before.reset();
    ASSIGN_OR_RETURN(const auto row, FindOf(rows, OwnerOf(context), id));
    if (!row) return {};
    before = row->state;
    return before == kTurnFailed ? rows.SetState(id, kTurnPending, 0, "") : Status();
  }));
  if (before == kTurnFailed) ++pending_;
  return before;
}

// Writes only if there are old turns. Counts those that another process left when it ended.
Status Turns::Sweep() {
  const int64_t before_ms = clock_.NowMs() - kKeptMs;
  bool any = false;
  RETURN_IF_ERROR(host_->ReadUnhurried([&](TurnRows& rows) -> Status {
    int64_t none = 0;
    if (pending_ == none) {
      ASSIGN_OR_RETURN(const int64_t left, rows.CountPending());
      (void)pending_.compare_exchange_strong(none, left);
    }
    ASSIGN_OR_RETURN(any, rows.HasDone(before_ms));
    return {};
  }));
  for (int64_t removed = kTurnsRemovedAtOnce; any && removed == kTurnsRemovedAtOnce;) {
    const auto step = [&](TurnRows& rows) -> Status {
      ASSIGN_OR_RETURN(removed, rows.RemoveDone(before_ms, kTurnsRemovedAtOnce));
      return {};
    };
    RETURN_IF_ERROR(host_->Write(step, TurnHost::Space::kFrees));
  }
  return {};
}

}  // namespace memory
