// Builds the questions and reads the answers of GET /context and GET /search.
#include "sidecar/recall.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;

std::string TextOf(const Json& object, const char* field) {
  return base::StringAt(object, {field});
}

// Text whatever its type: a counter of revisions, or nothing.
std::string ScalarOf(const Json& object, const char* field) {
  auto found = object.find(field);
  if (found == object.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : base::DumpJson(*found);
}

// A row without a class is one of the reference server: an agent wrote it (rulings K26).
std::string TrustOf(const Json& row) {
  if (std::string trust = TextOf(row, "trust"); !trust.empty()) return trust;
  const std::string origin = base::StringAt(row, {"source", "origin"});
  return origin.empty() ? api::kOriginAgent : origin;
}

std::string Parameter(const char* name, std::string_view value) {
  return std::string(name) + "=" + http::PercentEncode(value);
}

void AddNew(std::vector<RecalledItem>& items, const RecalledItem& item) {
  const bool known = std::any_of(items.begin(), items.end(),
                                 [&](const RecalledItem& other) { return other.id == item.id; });
  if (!known) items.push_back(item);
}

}  // namespace

RecalledItem ReadItem(const Json& row) {
  RecalledItem item;
  if (auto id = row.find("id"); id != row.end() && id->is_number_integer()) item.id = *id;
  item.type = TextOf(row, "type");
  item.title = TextOf(row, "title");
  item.content = std::string(base::Prefix(TextOf(row, "content"), api::kContextCharacters));
  item.trust = TrustOf(row);
  item.tool = base::StringAt(row, {"source", "tool"});
  item.rule = base::StringAt(row, {"source", "rule"});
  if (item.tool.empty()) item.tool = TextOf(row, "source");  // as the reference has it
  item.method = TextOf(row, "method");
  item.revision = ScalarOf(row, "revision_count");
  // Without a counter the text itself tells whether the memory changed.
  if (item.revision.empty()) {
    item.revision = base::Sha256Hex(item.title + "\n" + item.content).substr(0, 12);
  }
  if (auto rank = row.find("rank"); rank != row.end() && rank->is_number()) item.rank = *rank;
  return item;
}

std::vector<RecalledItem> ReadItems(const Json& rows) {
  std::vector<RecalledItem> items;
  if (!rows.is_array()) return items;
  for (const Json& row : rows) {
    if (row.is_object()) items.push_back(ReadItem(row));
  }
  return items;
}

std::vector<RecalledSession> ReadSessions(const Json& answer) {
  std::vector<RecalledSession> sessions;
  auto rows = answer.find("recent_sessions");
  if (rows == answer.end() || !rows->is_array()) return sessions;
  for (const Json& row : *rows) {
    if (row.is_object()) sessions.push_back({TextOf(row, "id"), TextOf(row, "summary")});
  }
  return sessions;
}

Json EncodeItems(const std::vector<RecalledItem>& found,
                 const std::vector<RecalledItem>& injected) {
  Json items = Json::array();
  for (const RecalledItem& item : found) {
    const bool in = std::any_of(injected.begin(), injected.end(),
                                [&](const RecalledItem& other) { return other.id == item.id; });
    items.push_back({{"id", item.id},
                     {"revision", item.revision},
                     {"rank", item.rank},
                     {"method", item.method},
                     {"type", item.type},
                     {"title", item.title},
                     {"trust", item.trust},
                     {"injected", in}});
  }
  return items;
}

Recalled WithoutOwnSession(Recalled recalled, const std::string& own) {
  std::erase_if(recalled.sessions,
                [&](const RecalledSession& session) { return session.id == own; });
  if (recalled.sessions.size() > kRecalledSessions) recalled.sessions.resize(kRecalledSessions);
  return recalled;
}

bool MayInject(const api::Policy& policy, std::string_view trust) {
  if (policy.inject_untrusted) return true;
  return trust == api::kOriginUser || trust == api::kOriginAgent || trust == api::kOriginRule;
}

Recalled Recall::ForPrompt(const api::Policy& policy, const std::string& query,
                           const telemetry::TraceContext& trace) {
  Recalled recalled;
  if (policy.context_limit <= 0) {
    recalled.outcome = "off";
    return recalled;
  }
  // One session more than shown: the conversation's own may be among them.
  std::string target = "/context?" + Parameter("project", policy.project) +
                       "&limit=" + std::to_string(policy.context_limit) +
                       "&sessions=" + std::to_string(options_.sessions + 1);
  if (!base::IsBlank(query)) target += "&" + Parameter("query", query);
  const Json answer =
      Ask(policy, target, clock_.MonotonicMs() + options_.deadline_ms, trace, recalled.outcome);
  if (!answer.is_object()) return recalled;
  recalled.sessions = ReadSessions(answer);
  if (base::IsBlank(query)) return recalled;
  for (RecalledItem& item : ReadItems(answer.value("recent_observations", Json::array()))) {
    if (MayInject(policy, item.trust)) recalled.items.push_back(std::move(item));
  }
  return recalled;
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
      if (search.inject && MayInject(policy, item.trust)) AddNew(recall.inject.items, item);
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
  if (!trace.trace_id.empty())
    request.headers.Set("traceparent", telemetry::FormatTraceparent(trace));
  auto answer = servers_.Send(policy.server_url, std::move(request));
  if (!answer || answer->status >= 500) {
    outcome = answer || answer.error().code != base::Code::kTimeout ? "unavailable" : "timeout";
    return nullptr;
  }
  auto json = answer->status == 200 ? base::ParseJson(answer->body) : base::Result<Json>(Json());
  if (!json || json->is_null()) {
    outcome = "refused_" + std::to_string(answer->status);
    return nullptr;
  }
  return std::move(*json);
}

}  // namespace sidecar
