// Checks and shapes of whole traces.
#include "memory/api/traces/whole_traces.h"

#include <cmath>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/base/json/stored.h"
#include "memory/api/traces/trace_fields.h"
#include "memory/api/traces/trace_json.h"

namespace memory {

using base::Json;
using base::Result;

namespace {

constexpr size_t kMostIdBytes = 64;  // of an id that stays as it is
constexpr size_t kMostForeignId = 1000;
constexpr int64_t kMostCount = int64_t{1} << 53;

Json UnitOf(const std::vector<int8_t>& vector) {
  double squares = 0;
  for (const int8_t value : vector) squares += static_cast<double>(value) * value;
  Json floats = Json::array();
  for (const int8_t value : vector)
    floats.push_back(squares > 0 ? static_cast<float>(value / std::sqrt(squares)) : 0.0F);
  return floats;
}

Result<int64_t> NumberFrom0(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(const auto given, base::OptionalInt(json, field));
  if (!given || (*given >= 0 && *given < kMostCount)) return given.value_or(0);
  return InvalidTrace(std::string(field) + " must be a whole number from 0 to 2^53, it is " +
                      std::to_string(*given));
}

Result<std::optional<ArchivedText>> OriginalIn(const Json& json, int64_t created_ms) {
  ASSIGN_OR_RETURN(const std::string text,
                   api::OptionalText(json, "verbatimContent", api::kMaxContent));
  if (text.empty()) return std::optional<ArchivedText>();
  ASSIGN_OR_RETURN(const auto archived_ms, TraceTimeField(json, "archivedAt"));
  return std::optional(ArchivedText{text, archived_ms.value_or(created_ms)});
}

Result<std::string> OwnerIdIn(const Json& json, const Trace& trace, const TraceContext& context) {
  ASSIGN_OR_RETURN(const std::string given, api::OptionalText(json, "scopeId", api::kMaxScopeId));
  // There is one organization: the tenant.
  return given.empty() || trace.scope == kOrganizationScope ? context.ScopeId(trace.scope) : given;
}

}  // namespace

Json EncodeWholeTrace(const WholeTrace& whole) {
  Json json = EncodeTrace(whole.trace);
  json["storedStrength"] = whole.stored_strength;
  if (whole.original) {
    json["verbatimContent"] = whole.original->content;
    json["archivedAt"] = whole.original->archived_ms;
  }
  if (whole.vector.empty()) return json;
  json["embedding"] = UnitOf(whole.vector);
  json["embeddingModel"] =
      std::string(whole.remote ? "remote_vectors/" : "vectors/") + std::to_string(whole.model);
  return json;
}

Json EncodeGraphEdge(const ExportedEdge& edge) {
  return {{"from", edge.from},
          {"to", edge.edge.to},
          {"kind", edge.edge.kind},
          {"weight", edge.edge.weight}};
}

std::string ForeignTraceId(const std::string& id) {
  const bool ours = id.starts_with(kTraceIdPrefix) && id.size() <= kMostIdBytes;
  return ours || id.empty() ? id : OtherTraceId(id, "");
}

Result<WholeTrace> DecodeWholeTrace(const Json& json, const TraceContext& context) {
  if (!json.is_object()) return InvalidTrace("a trace must be an object");
  WholeTrace whole;
  Trace& trace = whole.trace;
  ASSIGN_OR_RETURN(const std::string id, api::OptionalText(json, "id", kMostForeignId));
  trace.id = ForeignTraceId(id);
  ASSIGN_OR_RETURN(trace.content, api::RequiredText(json, "content", api::kMaxContent));
  ASSIGN_OR_RETURN(trace.kind, KindField(json, kEpisodic));
  ASSIGN_OR_RETURN(trace.scope, ScopeField(json, kUserScope));
  ASSIGN_OR_RETURN(trace.scope_id, OwnerIdIn(json, trace, context));
  ASSIGN_OR_RETURN(trace.project, api::OptionalText(json, "project", api::kMaxProject));
  if (trace.project.empty()) trace.project = context.project;
  ASSIGN_OR_RETURN(trace.tags, api::DecodeTags(json, kMaxTraceTags));
  ASSIGN_OR_RETURN(const auto strength, NumberField(json, "strength", 0, 1));
  ASSIGN_OR_RETURN(const auto stored, NumberField(json, "storedStrength", 0, 1));
  whole.stored_strength = stored.value_or(strength.value_or(1));
  ASSIGN_OR_RETURN(const auto created_ms, TraceTimeField(json, "createdAt"));
  ASSIGN_OR_RETURN(const auto accessed_ms, TraceTimeField(json, "lastAccessed"));
  trace.created_ms = created_ms.value_or(0);
  trace.accessed_ms = accessed_ms.value_or(trace.created_ms);
  ASSIGN_OR_RETURN(trace.retrievals, NumberFrom0(json, "retrievalCount"));
  ASSIGN_OR_RETURN(trace.observation, NumberFrom0(json, "observationId"));
  ASSIGN_OR_RETURN(trace.remind_ms, TraceTimeField(json, "remindAt"));
  if (trace.remind_ms && trace.kind != kProspective)
    return InvalidTrace("remindAt is of prospective traces, type is \"" + trace.kind + "\"");
  ASSIGN_OR_RETURN(trace.emotions, ObjectField(json, "emotions"));
  ASSIGN_OR_RETURN(trace.metadata, ObjectField(json, "metadata"));
  RETURN_IF_ERROR(CheckExtras(trace.emotions, trace.metadata, base::kMaxImportedLevels));
  ASSIGN_OR_RETURN(trace.source, api::DecodeSource(json));
  ASSIGN_OR_RETURN(whole.original, OriginalIn(json, trace.created_ms));
  return whole;
}

Result<ExportedEdge> DecodeGraphEdge(const Json& json) {
  if (!json.is_object()) return InvalidTrace("an edge must be an object");
  ExportedEdge edge;
  ASSIGN_OR_RETURN(edge.from, api::RequiredText(json, "from", kMostForeignId));
  ASSIGN_OR_RETURN(edge.edge.to, api::RequiredText(json, "to", kMostForeignId));
  ASSIGN_OR_RETURN(const std::string kind, api::OptionalText(json, "kind", api::kMaxEdgeKind));
  if (!kind.empty()) edge.edge.kind = kind;
  ASSIGN_OR_RETURN(const auto weight, NumberField(json, "weight", 0, 1));
  edge.edge.weight = weight.value_or(1);
  return edge;
}

}  // namespace memory
