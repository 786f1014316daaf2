// GET /search and GET /context: search results, and context for a prompt.
#include "lib/api/limits.h"
#include "lib/base/text/text.h"
#include "lib/telemetry/instrument.h"
#include "memory/api/handlers.h"
#include "memory/api/validate.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using http::ErrorResponse;
using http::JsonResponse;
using http::Request;
using http::Response;

namespace {

constexpr size_t kDefaultSessions = 3;

// The provenance of an item for its reader: tool, rule and trust class.
Json EncodeOrigin(const api::Source& source) {
  return api::EncodeSource({source.tool, "", source.rule, source.origin});
}

// Either name, on both routes; blank: absent.
std::optional<std::string> QueryOf(const Request& request) {
  auto text = TextParameter(request, "q");
  return text ? text : TextParameter(request, "query");
}

// The parts of the rank, if meaning counted.
void AddScores(const Found& found, Json& item) {
  if (!found.scores) return;
  const std::optional<double>& similarity = found.scores->similarity;
  Json& scores = item["scores"];
  scores["lexical"] = found.scores->lexical;
  scores["similarity"] = similarity ? Json(*similarity) : Json();
  if (const auto& signals = found.scores->signals) {
    scores["soft"] = signals->soft;
    scores["session"] = signals->session;
    scores["answer"] = signals->answer;
  }
}

Json EncodeHit(const Found& found) {
  const api::Observation& row = found.row;
  return {{"id", row.id},
          {"type", row.type},
          {"title", row.title},
          {"content", row.content},
          {"rank", found.rank},
          {"method", found.method},
          {"topic_key", row.topic_key},
          {"created_at", base::FormatTime(row.created_ms)},
          {"tags", row.tags},
          {"scope", row.scope},
          {"project", row.project},
          {"session_id", row.session_id},
          {"revision_count", row.revision_count},
          {"trust", row.source.origin},
          {"source", EncodeOrigin(row.source)}};
}

// Bounded for a prompt: the content's first 300 characters. Each value is assigned, since a list of
// members copies all of them.
Json EncodeRecalled(const Found& found) {
  const api::Observation& row = found.row;
  Json json = Json::object();
  json["id"] = row.id;
  json["type"] = row.type;
  json["title"] = row.title;
  json["content"] = base::Ellipsize(row.content, api::kContextCharacters);
  json["rank"] = found.rank;
  json["method"] = found.method;
  json["scope"] = row.scope;
  json["session_id"] = row.session_id;
  json["created_at"] = base::FormatTime(row.created_ms);
  json["revision_count"] = row.revision_count;
  json["trust"] = row.source.origin;
  json["source"] = EncodeOrigin(row.source);
  return json;
}

Json EncodeSummary(const api::Session& session) {
  Json json = {{"id", session.id}, {"summary", session.summary}};
  if (session.ended_ms != 0) json["ended_at"] = base::FormatTime(session.ended_ms);
  return json;
}

// Adds the injected items to the request's trace, without their contents.
void RecordInjected(const Request& request, const SearchResult& recalled) {
  telemetry::Span* span = telemetry::SpanOf(request);
  if (span == nullptr) return;
  for (const Found& found : recalled.rows) {
    span->Event("context.injected", {{"id", found.row.id},
                                     {"type", found.row.type},
                                     {"title", found.row.title},
                                     {"rank", found.rank},
                                     {"method", found.method}});
  }
  if (recalled.partial) span->Attribute("partial", true);
}

Response Search(const Api& api, const Request& request) {
  Result<SearchResult> result = [&]() -> Result<SearchResult> {
    const std::optional<std::string> text = QueryOf(request);
    if (!text) return Error{Code::kInvalid, "q is required"};
    std::string syntax = TextParameter(request, "syntax").value_or("plain");
    if (syntax != "plain" && syntax != "fts5") {
      return Error{Code::kInvalid,
                   "syntax must be plain or fts5, it is \"" + base::Ellipsize(syntax, 40) + "\""};
    }
    if (size_t size = base::CountCharacters(*text);
        syntax == "fts5" && size > api::kMaxExpression) {
      return Error{Code::kInvalid, "q has " + std::to_string(size) + " characters, the limit is " +
                                       std::to_string(api::kMaxExpression) + " with syntax=fts5"};
    }
    ASSIGN_OR_RETURN(Filter filter, FilterOf(request, 10));
    filter.stop = request.client_gone;
    ASSIGN_OR_RETURN(filter.as_of_ms, TimeParameter(request, "as_of"));
    const auto span = telemetry::ChildOf(request, "store.search");
    return api.store.Search(filter, *text, syntax == "fts5");
  }();
  if (!result) return ErrorResponse(result.error());
  Json list = Json::array();
  for (const Found& found : result->rows) {
    list.push_back(EncodeHit(found));
    AddScores(found, list.back());
  }
  Response response = JsonResponse(200, list);
  if (result->partial) {
    api.metrics.Count("agent_memory_server_partial_searches_total");
    response.headers.Set("X-Partial", "true");
  }
  return response;
}

}  // namespace

Result<Json> ContextAnswer(const Api& api, const Request& request) {
  ASSIGN_OR_RETURN(Filter filter, FilterOf(request, 5));
  filter.stop = request.client_gone;
  ASSIGN_OR_RETURN(filter.as_of_ms, TimeParameter(request, "as_of"));
  ASSIGN_OR_RETURN(filter.backfill, FlagParameter(request, "backfill", true));
  ASSIGN_OR_RETURN(size_t sessions, CountParameter(request, "sessions", kDefaultSessions));
  auto span = telemetry::ChildOf(request, "store.summaries");
  ASSIGN_OR_RETURN(
      std::vector<api::Session> summaries,
      api.store.Summaries(filter.project, sessions, filter.as_of_ms.value_or(INT64_MAX)));
  span = telemetry::ChildOf(request, "store.recall");
  ASSIGN_OR_RETURN(SearchResult recalled, api.store.Recall(filter, QueryOf(request).value_or("")));
  span.reset();
  RecordInjected(request, recalled);
  Json answer = {{"recent_sessions", Json::array()}, {"recent_observations", Json::array()}};
  for (const api::Session& session : summaries)
    answer["recent_sessions"].push_back(EncodeSummary(session));
  Json& observations = answer["recent_observations"];
  for (const Found& found : recalled.rows) {
    observations.push_back(EncodeRecalled(found));
    AddScores(found, observations.back());
    api.metrics.Count("agent_memory_server_recalled_items_total", {{"method", found.method}});
  }
  if (recalled.partial) {
    api.metrics.Count("agent_memory_server_partial_searches_total");
    answer["partial"] = true;
  }
  return answer;
}

HandlerTable FindingHandlers() {
  return {
      {"search", Search},
  };
}

}  // namespace memory
