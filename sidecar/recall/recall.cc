// Builds the requests and reads the answers of GET /context and GET /search.
#include "sidecar/recall/recall.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "sidecar/recall/selection.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int kDueTraces = 3;

std::string Parameter(const char* name, std::string_view value) {
  return std::string(name) + "=" + http::PercentEncode(value);
}

void AddNew(std::vector<RecalledItem>& items, const RecalledItem& item) {
  const bool known = std::any_of(items.begin(), items.end(),
                                 [&](const RecalledItem& other) { return other.id == item.id; });
  if (!known) items.push_back(item);
}

}  // namespace

Recalled Recall::ForPrompt(const api::Policy& policy, const Asking& asking,
                           const telemetry::TraceContext& trace) {
  const std::string& query = asking.query;
  const bool everything = policy.reinject == "everyTurn";
  const int sessions = policy.session_digest ? 0 : options_.sessions + 1;
  Recalled recalled;
  if (policy.context_limit <= 0) {
    recalled.outcome = "off";
    return recalled;
  }
  if (base::IsBlank(query) && sessions == 0) return recalled;
  // One session more than shown: the conversation's own session may be among them.
  std::string target = "/context?" + Parameter("project", policy.project) +
                       "&limit=" + std::to_string(policy.context_limit) +
                       "&sessions=" + std::to_string(sessions);
  if (!everything && !asking.first) target += "&backfill=false";
  if (!base::IsBlank(query)) target += "&" + Parameter("query", query);
  const bool traces = policy.tools == api::kAgentOsSet || policy.auto_ingest.enabled;
  if (!base::IsBlank(query) && traces)
    target +=
        "&due=" + std::to_string(kDueTraces) + "&" + Parameter("conversation", asking.conversation);
  const int64_t end_ms = clock_.MonotonicMs() + options_.deadline_ms;
  const Json answer = Ask(policy, target, end_ms, trace, recalled.outcome);
  if (!answer.is_object()) return recalled;
  recalled.sessions = ReadSessions(answer);
  if (base::IsBlank(query)) return recalled;
  for (const RecalledItem& item : ReadDue(answer)) {
    if (!item.buried && MayInject(policy, item.trust)) recalled.items.push_back(item);
  }
  for (const RecalledItem& item : ReadItems(answer.value("recent_observations", Json::array()))) {
    if (MayInject(policy, item.trust)) AddNew(recalled.items, item);
  }
  if (everything) return recalled;
  return WithFewOfTheNewest(WithoutRepeats(std::move(recalled)));
}

ToolRecall Recall::ForTool(const api::Policy& policy, const std::vector<SearchPlan>& searches,
                           const telemetry::TraceContext& trace) {
  ToolRecall recall;
  const int64_t end_ms = clock_.MonotonicMs() + options_.deadline_ms;
  for (const SearchPlan& search : searches) {
    if (search.outcome != SearchPlan::Outcome::kSearches) continue;
    recall.searched = true;
    recall.query += (recall.query.empty() ? "" : "\n") + search.query;
    const std::string target = "/search?" + Parameter("q", search.query) + "&" +
                               Parameter("project", policy.project) +
                               "&limit=" + std::to_string(search.limit);
    for (const RecalledItem& item :
         ReadItems(Ask(policy, target, end_ms, trace, recall.found.outcome))) {
      AddNew(recall.found.items, item);
      if (search.inject && !item.buried && MayInject(policy, item.trust))
        AddNew(recall.inject.items, item);
    }
  }
  return recall;
}

Json Recall::Ask(const api::Policy& policy, const std::string& target, int64_t end_ms,
                 const telemetry::TraceContext& trace, std::string& outcome) {
  const int64_t now_ms = clock_.MonotonicMs();
  if (now_ms >= end_ms) {
    outcome = "timeout";
    return nullptr;
  }
  if (servers_.Refuses(policy.server_url, end_ms - now_ms)) {
    outcome = "breaker_open";
    return nullptr;
  }
  http::ClientRequest request;
  request.target = target;
  request.timeout_ms = end_ms - now_ms;
  request.headers.Set(api::kAgentHeader, policy.agent);
  if (!policy.user.empty()) request.headers.Set(api::kUserHeader, policy.user);
  if (!trace.trace_id.empty())
    request.headers.Set("traceparent", telemetry::FormatTraceparent(trace));
  auto answer = servers_.Send(policy.server_url, std::move(request));
  if (!answer || answer->status >= 500) {
    outcome = answer || answer.error().code != base::Code::kTimeout ? "unavailable" : "timeout";
    return nullptr;
  }
  auto json = answer->status == 200 ? base::ParseJson(answer->body) : base::Result<Json>(Json());
  if (!json && json.error().code != base::Code::kInvalid) {  // the memory budget refuses it
    outcome = "unavailable";
    return nullptr;
  }
  if (!json || json->is_null()) {
    outcome = "refused_" + std::to_string(answer->status);
    return nullptr;
  }
  return std::move(*json);
}

}  // namespace sidecar
