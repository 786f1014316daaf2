// Checks and shapes of traces.
#include "memory/api/traces/trace_json.h"

#include <set>

#include "lib/api/query_operators.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/api/items/project_parameter.h"
#include "memory/api/validate.h"
#include "memory/ingest/ingest_settings.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using http::Request;

namespace {

constexpr size_t kMaxTraceQuery = 10'000;  // characters

Error InvalidTrace(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

Result<std::string> OneOf(const Json& body, const char* field, bool (*known)(std::string_view),
                          const char* words, const std::string& fallback) {
  ASSIGN_OR_RETURN(const auto given, base::OptionalString(body, field));
  if (!given || given->empty()) return fallback;
  if (known(*given)) return *given;
  return InvalidTrace(std::string(field) + " must be one of " + words + ", it is \"" +
                      std::string(base::Prefix(*given, 50)) + "\"");
}

Result<std::string> KindField(const Json& body, const std::string& fallback) {
  return OneOf(body, "type", IsTraceKind, "episodic, semantic, procedural, prospective", fallback);
}

Result<std::string> ScopeField(const Json& body, const std::string& fallback) {
  return OneOf(body, "scope", IsTraceScope, "thread, user, persona, organization", fallback);
}

// RFC 3339, or milliseconds since 1970.
Result<std::optional<int64_t>> TimeField(const Json& body, const char* field) {
  const auto given = body.find(field);
  if (given == body.end() || given->is_null()) return std::optional<int64_t>();
  if (given->is_number_integer() && *given >= 0 && *given < int64_t{1} << 53)
    return std::optional(given->get<int64_t>());
  if (given->is_string())
    if (const auto time = base::ParseTime(given->get<std::string>())) return std::optional(*time);
  return InvalidTrace(std::string(field) + " must be an RFC 3339 time or milliseconds since 1970");
}

Result<Json> ObjectField(const Json& body, const char* field) {
  const auto given = body.find(field);
  if (given == body.end() || given->is_null()) return Json::object();
  if (!given->is_object()) return InvalidTrace(std::string(field) + " must be an object");
  return *given;
}

// A number in [least, most]; absent and null: nullopt.
Result<std::optional<double>> NumberField(const Json& body, const char* field, double least,
                                          double most) {
  const auto given = body.find(field);
  if (given == body.end() || given->is_null()) return std::optional<double>();
  if (given->is_number() && *given >= least && *given <= most)
    return std::optional(given->get<double>());
  return InvalidTrace(std::string(field) + " must be a number from " + base::DumpJson(least) +
                      " to " + base::DumpJson(most) + ", it is " +
                      std::string(base::Prefix(base::DumpJson(*given), 50)));
}

}  // namespace

Result<TraceContext> ContextOf(const Request& request, const Json& body) {
  TraceContext context;
  ASSIGN_OR_RETURN(context.project, ProjectOf(request, body));
  std::optional<std::string> conversation = TextParameter(request, "conversation");
  if (!conversation) {
    ASSIGN_OR_RETURN(conversation, base::OptionalString(body, "conversation"));
  }
  ASSIGN_OR_RETURN(context.conversation, ScopeIdIn(conversation, "conversation"));
  ASSIGN_OR_RETURN(context.user,
                   ScopeIdIn(request.headers.Get(api::kUserHeader), api::kUserHeader));
  ASSIGN_OR_RETURN(context.agent,
                   ScopeIdIn(request.headers.Get(api::kAgentHeader), api::kAgentHeader));
  return context;
}

Result<NewTrace> DecodeNewTrace(const Json& body) {
  NewTrace trace;
  ASSIGN_OR_RETURN(trace.content, api::RequiredText(body, "content", api::kMaxContent));
  ASSIGN_OR_RETURN(trace.kind, KindField(body, kEpisodic));
  ASSIGN_OR_RETURN(trace.scope, ScopeField(body, kUserScope));
  ASSIGN_OR_RETURN(trace.tags, api::DecodeTags(body));
  ASSIGN_OR_RETURN(trace.remind_ms, TimeField(body, "remindAt"));
  if (trace.remind_ms && trace.kind != kProspective)
    return InvalidTrace("remindAt is of prospective traces, type is \"" + trace.kind + "\"");
  ASSIGN_OR_RETURN(trace.emotions, ObjectField(body, "emotions"));
  ASSIGN_OR_RETURN(trace.metadata, ObjectField(body, "metadata"));
  const size_t bytes =
      base::DumpJson(trace.emotions).size() + base::DumpJson(trace.metadata).size();
  if (bytes > kMaxTraceExtras) {
    return Error{Code::kTooLarge, "emotions and metadata have " + std::to_string(bytes) +
                                      " bytes of JSON, the limit is " +
                                      std::to_string(kMaxTraceExtras)};
  }
  ASSIGN_OR_RETURN(trace.source, api::DecodeSource(body));
  return trace;
}

Result<TraceChange> DecodeTraceChange(const Json& body) {
  TraceChange change;
  if (const auto given = body.find("content"); given != body.end() && !given->is_null()) {
    ASSIGN_OR_RETURN(change.content, api::RequiredText(body, "content", api::kMaxContent));
  }
  if (const auto given = body.find("tags"); given != body.end() && !given->is_null()) {
    ASSIGN_OR_RETURN(change.tags, api::DecodeTags(body));
  }
  if (!change.content && !change.tags)
    return InvalidTrace("give content or tags: there is nothing to change");
  ASSIGN_OR_RETURN(change.writer, DecodeWriter(body));
  return change;
}

Result<TraceWriter> DecodeWriter(const Json& body) {
  TraceWriter writer;
  ASSIGN_OR_RETURN(const api::Source source, api::DecodeSource(body));
  if (api::IsOrigin(source.origin)) writer.origin = source.origin;
  ASSIGN_OR_RETURN(writer.replace_user, api::OptionalFlag(body, "replace_user"));
  return writer;
}

Result<MergeOrder> DecodeMerge(const Json& body) {
  MergeOrder order;
  const auto ids = body.find("traceIds");
  if (ids == body.end() || !ids->is_array())
    return InvalidTrace("traceIds must be a list of two ids or more");
  if (ids->size() > kMaxTracesMerged) {
    return InvalidTrace("traceIds has " + std::to_string(ids->size()) + " ids, the limit is " +
                        std::to_string(kMaxTracesMerged));
  }
  std::set<std::string> known;
  for (const Json& id : *ids) {
    if (!id.is_string()) return InvalidTrace("traceIds must be a list of strings");
    if (known.insert(id.get<std::string>()).second) order.ids.push_back(id.get<std::string>());
  }
  if (order.ids.size() < 2) {
    return InvalidTrace("traceIds must have two different ids or more, it has " +
                        std::to_string(order.ids.size()));
  }
  ASSIGN_OR_RETURN(order.content, api::OptionalText(body, "content", api::kMaxContent));
  ASSIGN_OR_RETURN(order.source, api::DecodeSource(body));
  ASSIGN_OR_RETURN(order.writer, DecodeWriter(body));
  return order;
}

Result<TraceEdge> DecodeEdge(const std::string& to, const Json& body) {
  TraceEdge edge;
  edge.to = to;
  ASSIGN_OR_RETURN(const std::string kind, api::OptionalText(body, "kind", kMaxEdgeKind));
  if (!kind.empty()) edge.kind = kind;
  ASSIGN_OR_RETURN(const auto weight, NumberField(body, "weight", 0, 1));
  edge.weight = weight.value_or(1);
  return edge;
}

Result<TraceQuestion> DecodeTraceQuestion(const Json& body) {
  TraceQuestion question;
  ASSIGN_OR_RETURN(question.text, api::RequiredText(body, "query", kMaxTraceQuery));
  ASSIGN_OR_RETURN(question.kind, KindField(body, ""));
  ASSIGN_OR_RETURN(question.scope, ScopeField(body, ""));
  ASSIGN_OR_RETURN(const auto limit, base::OptionalInt(body, "limit"));
  if (limit && (*limit < 1 || *limit > static_cast<int64_t>(kMaxTracesFound))) {
    return InvalidTrace("limit must be a whole number from 1 to " +
                        std::to_string(kMaxTracesFound) + ", it is " + std::to_string(*limit));
  }
  if (const auto settings = body.find("settings"); settings != body.end() && !settings->is_null()) {
    ASSIGN_OR_RETURN(const IngestSettings read, DecodeIngestSettings(*settings));
    question.limit += static_cast<size_t>(read.more_top_k);
  }
  if (limit) question.limit = static_cast<size_t>(*limit);
  ASSIGN_OR_RETURN(const Json mood, ObjectField(body, "mood"));
  ASSIGN_OR_RETURN(question.valence, NumberField(mood, "valence", -1, 1));
  question.operators = api::HasOperators(question.text);
  return question;
}

Json EncodeTrace(const Trace& trace) {
  Json json = {{"id", trace.id},
               {"type", trace.kind},
               {"scope", trace.scope},
               {"scopeId", trace.scope_id},
               {"content", trace.content},
               {"strength", trace.strength},
               {"tags", trace.tags},
               {"emotions", trace.emotions},
               {"metadata", trace.metadata},
               {"createdAt", trace.created_ms},
               {"lastAccessed", trace.accessed_ms},
               {"retrievalCount", trace.retrievals},
               {"observationId", trace.observation},
               {"project", trace.project},
               {"source", api::EncodeSource(trace.source)}};
  if (trace.remind_ms) json["remindAt"] = *trace.remind_ms;
  if (trace.deleted_ms) {
    json["deletedAt"] = *trace.deleted_ms;
    json["reason"] = trace.reason;
  }
  return json;
}

Json EncodeFound(const FoundTrace& found) {
  const TraceScores& parts = found.scores;
  return {{"id", found.trace.id},
          {"content", found.trace.content},
          {"type", found.trace.kind},
          {"scope", found.trace.scope},
          {"strength", found.trace.strength},
          {"tags", found.trace.tags},
          {"score", found.score},
          {"scores",
           {{"lexical", parts.lexical},
            {"similarity", parts.similarity},
            {"strength", parts.strength},
            {"emotion", parts.emotion},
            {"recency", parts.recency},
            {"graph", parts.graph},
            {"importance", parts.importance}}},
          {"source", api::EncodeSource(found.trace.source)}};
}

Json EncodeEdges(const std::vector<TraceEdge>& edges) {
  Json list = Json::array();
  for (const TraceEdge& edge : edges)
    list.push_back({{"to", edge.to}, {"kind", edge.kind}, {"weight", edge.weight}});
  return list;
}

}  // namespace memory
