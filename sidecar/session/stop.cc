// The last transactions of a stopping sidecar.
#include "sidecar/session/stop.h"

#include "lib/base/process/log.h"
#include "lib/conversation/conversations.h"

namespace sidecar {
namespace {

constexpr int64_t kMostSessions = 10'000;

}  // namespace

// Each session is read before its transaction and has a transaction of its own, so that one refused
// session does not affect the others.
void StopSessions(State& state, const OutboxContext& context) {
  const bool ends = context.policy.mode == "task";
  const auto open = state.Read([](sqlite::Database& db) {
    return conversation::UnusedSince(db, "open", INT64_MAX, kMostSessions);
  });
  if (!open)
    return base::LogWarn("the open sessions could not be read; none gets a summary",
                         {{"reason", open.error().message}});
  int64_t refused = 0;
  std::string reason;
  for (auto id = open->rbegin(); id != open->rend(); ++id) {  // the most recently used first
    const auto has_new = state.Read([&](sqlite::Database& db) { return HasNewMessages(db, *id); });
    if (!ends && has_new && !*has_new) continue;
    const auto account = PrepareAccount(state, *id, context.policy);
    const SessionAccount* prepared = account ? account->get() : nullptr;
    const base::Status told = state.Change([&](sqlite::Database& db) -> base::Status {
      if (ends) return EndConversation(db, *id, context, prepared);
      ASSIGN_OR_RETURN([[maybe_unused]] const bool was,
                       EnqueueInterimSummary(db, *id, context, prepared));
      return {};
    });
    if (told) continue;
    ++refused;
    reason = told.error().message;
    if (state.Failed()) break;
  }
  if (refused == 0) return;
  base::LogWarn(ends ? "sessions were not ended" : "sessions have no interim summary",
                {{"sessions", refused}, {"reason", reason}});
}

std::string LastSession(State& state, int64_t since_ms) {
  const auto last = state.Read([](sqlite::Database& db) { return conversation::Latest(db); });
  if (!last || !*last || (*last)->updated_ms < since_ms) return "";
  return (*last)->memory_session_id;
}

}  // namespace sidecar
