// The termination message is written in place: the kubelet mounts the file, so that it would not
// see a renamed one.
#include "sidecar/session/stop.h"

#include <fcntl.h>
#include <unistd.h>

#include "lib/base/json/json.h"
#include "lib/base/process/log.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"

namespace sidecar {
namespace {

constexpr int64_t kMostSessions = 10'000;
constexpr size_t kMostMessageBytes = 4'096;  // the kubelet keeps no more of a termination message

std::string MessageOf(const TerminationReport& report) {
  base::Json message = base::Json::object();
  if (report.undelivered >= 0) message["undelivered"] = report.undelivered;
  if (!report.session.empty()) message["session"] = report.session;
  if (report.undelivered > 0)
    message["note"] =
        "writes were not delivered to the memory server; they are in state.db and are "
        "sent after the next start on this volume";
  return base::DumpJson(message) + "\n";
}

}  // namespace

// Each session is read before its transaction and has a transaction of its own, so that one refused
// session does not affect the others.
void StopSessions(State& state, const OutboxContext& context) {
  const bool ends = context.policy.mode == "task";
  const auto open = state.Read([](sqlite::Database& db) {
    return conversation::SqliteRows(db).UnusedSince("open", INT64_MAX, kMostSessions);
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
    const base::Status enqueued = state.Change([&](sqlite::Database& db) -> base::Status {
      if (ends) return EndConversation(db, *id, context, prepared);
      ASSIGN_OR_RETURN([[maybe_unused]] const bool was,
                       EnqueueInterimSummary(db, *id, context, prepared));
      return {};
    });
    if (enqueued) continue;
    ++refused;
    reason = enqueued.error().message;
    if (state.Failed()) break;
  }
  if (refused == 0) return;
  base::LogWarn(ends ? "sessions were not ended" : "sessions have no interim summary",
                {{"sessions", refused}, {"reason", reason}});
}

std::string LastSession(State& state, int64_t since_ms) {
  const auto last = state.Read(
      [](sqlite::Database& db) { return conversation::SqliteRows(db).LastUsed("", ""); });
  if (!last || !*last || (*last)->updated_ms < since_ms) return "";
  return (*last)->memory_session_id;
}

void WriteTerminationMessage(const TerminationReport& report, const std::string& termination_log) {
  if (report.undelivered != 0)
    base::LogError(
        "stopped with undelivered writes; a volume keeps them for the next start, an "
        "emptyDir loses them with the pod",
        {{"undelivered", report.undelivered}});
  if (termination_log.empty() || (report.undelivered == 0 && !report.task)) return;
  const std::string message = MessageOf(report);
  if (message.size() > kMostMessageBytes) return;
  const int file = open(termination_log.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  const bool written =
      write(file, message.data(), message.size()) == static_cast<ssize_t>(message.size());
  close(file);
  if (!written) base::LogWarn("the termination message could not be written");
}

}  // namespace sidecar
