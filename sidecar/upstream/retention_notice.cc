// One PUT a place and change. A notice for a server that the policy left goes where Delivery lets
// it: to the present one of the same namespace, else it is a dead letter that says so.
#include "sidecar/upstream/retention_notice.h"

#include <utility>

#include "lib/base/json/json.h"
#include "lib/base/process/log.h"
#include "lib/http/message/message.h"

namespace sidecar {
namespace {

OutboxRow NoticeRow(const RetentionTold& notice, int64_t now_ms) {
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

std::vector<RetentionTold> RetentionNotices(const std::vector<RetentionTold>& told,
                                            const api::Policy& now, bool at_start) {
  if (now.server_url.empty()) return {};  // not known yet: the rules told still hold where they do
  RetentionTold here{now.project, now.server_url, ""};
  if (!now.retention.empty()) here.rules = base::DumpJson(api::EncodeRetention(now.retention));
  std::vector<RetentionTold> notices;
  bool changes = at_start && !here.rules.empty(), known = false;
  for (const RetentionTold& before : told) {
    if (before.project == here.project && before.destination == here.destination) {
      known = true;
      changes |= before.rules != here.rules;
    } else {
      notices.push_back({before.project, before.destination, ""});
    }
  }
  changes |= !known && !here.rules.empty();
  if (changes) notices.push_back(here);  // last: where both lead to one server, it is what counts
  return notices;
}

base::Status TellRetention(State& state, const api::Policy& now, bool at_start,
                           const OutboxLimits& limits, int64_t now_ms) {
  return state.Change([&](sqlite::Database& db) -> base::Status {
    ASSIGN_OR_RETURN(const auto told, ReadRetentionTold(db));
    for (const RetentionTold& notice : RetentionNotices(told, now, at_start)) {
      RETURN_IF_ERROR(Enqueue(db, NoticeRow(notice, now_ms), limits));
      RETURN_IF_ERROR(NoteRetentionTold(db, notice));
    }
    return {};
  });
}

RetentionTeller::RetentionTeller(State& state, const OutboxLimits& limits, const base::Clock& clock,
                                 InForce in_force, std::function<void()> wake)
    : state_(state),
      limits_(limits),
      clock_(clock),
      in_force_(std::move(in_force)),
      wake_(std::move(wake)) {}

void RetentionTeller::Tell() {
  const std::lock_guard lock(mutex_);
  TellLocked();
}

void RetentionTeller::TellWhatWaits() {
  const std::lock_guard lock(mutex_);
  if (waits_) TellLocked();
}

void RetentionTeller::TellLocked() {
  const std::optional<api::Policy> now = in_force_();
  if (!now || now->server_url.empty()) return;  // told once it names a server
  const base::Status kept = TellRetention(state_, *now, !told_, limits_, clock_.NowMs());
  waits_ = !kept;
  if (!kept) {
    return base::LogError("the rules of retention are not queued; tried again within a minute",
                          {{"reason", kept.error().message}});
  }
  told_ = true;
  wake_();
}

}  // namespace sidecar
