// One PUT for each project, server and change. A withdrawal from a former server goes to the
// current server of the same namespace; otherwise it becomes a dead letter with that reason.
#include "sidecar/upstream/retention_updates.h"

#include <utility>

#include "lib/base/json/json.h"
#include "lib/base/process/log.h"
#include "lib/http/message/message.h"

namespace sidecar {
namespace {

OutboxRow NoticeRow(const PublishedRetention& notice, int64_t now_ms) {
  OutboxRow row;
  row.lane = row.kind = "retention";
  row.method = "PUT";
  row.path = "/retention?project=" + http::PercentEncode(notice.project);
  row.body = R"({"retention":)" + (notice.rules.empty() ? "[]" : notice.rules) + "}";
  row.project = notice.project;
  row.destination = notice.destination;
  row.created_ms = now_ms;
  return row;
}

}  // namespace

std::vector<PublishedRetention> RetentionUpdates(const std::vector<PublishedRetention>& told,
                                                 const api::Policy& now, bool at_start) {
  if (now.server_url.empty()) return {};  // not resolved yet: the published rules stay
  PublishedRetention here{now.project, now.server_url, ""};
  if (!now.retention.empty()) here.rules = base::DumpJson(api::EncodeRetention(now.retention));
  std::vector<PublishedRetention> notices;
  bool changes = at_start && !here.rules.empty(), known = false;
  for (const PublishedRetention& before : told) {
    if (before.project == here.project && before.destination == here.destination) {
      known = true;
      changes |= before.rules != here.rules;
    } else {
      notices.push_back({before.project, before.destination, ""});
    }
  }
  changes |= !known && !here.rules.empty();
  if (changes) notices.push_back(here);  // last: the last list of a project wins
  return notices;
}

base::Status EnqueueRetentionUpdates(State& state, const api::Policy& now, bool at_start,
                                     const OutboxLimits& limits, int64_t now_ms) {
  return state.Change([&](sqlite::Database& db) -> base::Status {
    ASSIGN_OR_RETURN(const auto told, ReadPublishedRetention(db));
    for (const PublishedRetention& notice : RetentionUpdates(told, now, at_start)) {
      RETURN_IF_ERROR(Enqueue(db, NoticeRow(notice, now_ms), limits));
      RETURN_IF_ERROR(SavePublishedRetention(db, notice));
    }
    return {};
  });
}

RetentionPublisher::RetentionPublisher(State& state, const OutboxLimits& limits,
                                       const base::Clock& clock, InForce in_force,
                                       std::function<void()> wake)
    : state_(state),
      limits_(limits),
      clock_(clock),
      in_force_(std::move(in_force)),
      wake_(std::move(wake)) {}

void RetentionPublisher::Publish() {
  const std::lock_guard lock(mutex_);
  PublishLocked();
}

void RetentionPublisher::PublishRefused() {
  const std::lock_guard lock(mutex_);
  if (waits_) PublishLocked();
}

void RetentionPublisher::PublishLocked() {
  const std::optional<api::Policy> now = in_force_();
  if (!now || now->server_url.empty()) return;  // published once it names a server
  const base::Status kept = EnqueueRetentionUpdates(state_, *now, !told_, limits_, clock_.NowMs());
  waits_ = !kept;
  if (!kept) {
    return base::LogError("the rules of retention are not queued; tried again within a minute",
                          {{"reason", kept.error().message}});
  }
  told_ = true;
  wake_();
}

}  // namespace sidecar
