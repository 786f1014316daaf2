// Checks and shapes of traces.
#include "memory/api/traces/trace_json.h"

#include <set>

#include "lib/api/limits.h"
#include "lib/api/query_operators.h"
#include "lib/base/json/stored.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/api/traces/trace_fields.h"
#include "memory/api/validate.h"
#include "memory/ingest/ingest_settings.h"
#include "memory/model/marks.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using http::Request;

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
  trace.tags = WithoutMarks(std::move(trace.tags));
  ASSIGN_OR_RETURN(trace.remind_ms, TraceTimeField(body, "remindAt"));
  if (trace.remind_ms && trace.kind != kProspective)
    return InvalidTrace("remindAt is of prospective traces, type is \"" + trace.kind + "\"");
  ASSIGN_OR_RETURN(trace.emotions, ObjectField(body, "emotions"));
  ASSIGN_OR_RETURN(trace.metadata, ObjectField(body, "metadata"));
  RETURN_IF_ERROR(CheckExtras(trace.emotions, trace.metadata, base::kMaxStoredLevels));
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
  if (ids->size() > api::kMaxTracesMerged) {
    return InvalidTrace("traceIds has " + std::to_string(ids->size()) + " ids, the limit is " +
                        std::to_string(api::kMaxTracesMerged));
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
  ASSIGN_OR_RETURN(const std::string kind, api::OptionalText(body, "kind", api::kMaxEdgeKind));
  if (!kind.empty()) edge.kind = kind;
  ASSIGN_OR_RETURN(const auto weight, NumberField(body, "weight", 0, 1));
  edge.weight = weight.value_or(1);
  return edge;
}

Result<TraceQuestion> DecodeTraceQuestion(const Json& body) {
  TraceQuestion question;
  ASSIGN_OR_RETURN(question.text, api::RequiredText(body, "query", api::kMaxQuestion));
  ASSIGN_OR_RETURN(question.kind, KindField(body, ""));
  ASSIGN_OR_RETURN(question.scope, ScopeField(body, ""));
  ASSIGN_OR_RETURN(const auto limit, base::OptionalInt(body, "limit"));
  if (limit && (*limit < 1 || *limit > static_cast<int64_t>(api::kMaxTracesFound))) {
    return InvalidTrace("limit must be a whole number from 1 to " +
                        std::to_string(api::kMaxTracesFound) + ", it is " + std::to_string(*limit));
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

Json EncodeRunCounts(const ConsolidationCounts& counts) {
  return {{"pruned", counts.pruned},
          {"merged", counts.merged},
          {"strengthened", counts.strengthened},
          {"derived", counts.derived},
          {"compacted", counts.compacted}};
}

Json EncodeRun(const ConsolidationRun& run) {
  Json json = EncodeRunCounts(run.counts);
  json["durationMs"] = run.duration_ms;
  json["runId"] = run.id.empty() ? Json() : Json(run.id);
  json["dryRun"] = run.dry_run;
  json["derive"] = run.derive.empty() ? "skipped, no model" : run.derive;
  if (run.busy) json["busy"] = true;
  if (run.partial) json["partial"] = true;
  return json;
}

Json EncodeLoggedRun(const ConsolidationRun& run) {
  Json json = EncodeRun(run);
  json["startedAt"] = run.started_ms;
  json["undoneAt"] = run.undone_ms ? Json(*run.undone_ms) : Json();
  return json;
}

}  // namespace memory
