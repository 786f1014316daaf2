// The last transactions of a sidecar that is asked to end.
#include "sidecar/session_stop.h"

#include "lib/base/log.h"
#include "lib/conversation/conversations.h"

namespace sidecar {
namespace {

void WriteInterimSummaries(State& state, const OutboxContext& context) {
  const auto told = state.Write<int64_t>(
      [&](sqlite::Database& db) { return EnqueueInterimSummaries(db, context); });
  if (!told) base::LogWarn("no interim summaries", {{"reason", told.error().message}});
}

void EndAll(State& state, const OutboxContext& context) {
  // Each is open no more once it is ended; the first refusal would meet the others too.
  while (true) {
    const auto open = state.Read([](sqlite::Database& db) { return conversation::Current(db); });
    if (!open) return base::LogWarn("no session was ended", {{"reason", open.error().message}});
    if (!*open) return;
    const base::Status ended = state.Change(
        [&](sqlite::Database& db) { return EndConversation(db, (*open)->id, context); });
    if (!ended)
      return base::LogWarn("a session was not ended", {{"reason", ended.error().message}});
  }
}

}  // namespace

void StopSessions(State& state, const OutboxContext& context) {
  context.policy.mode == "task" ? EndAll(state, context) : WriteInterimSummaries(state, context);
}

std::string LastSession(State& state, int64_t since_ms) {
  const auto last = state.Read([](sqlite::Database& db) { return conversation::Latest(db); });
  if (!last || !*last || (*last)->updated_ms < since_ms) return "";
  return (*last)->memory_session_id;
}

}  // namespace sidecar
