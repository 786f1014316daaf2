// Checks and shapes of exported traces.
#include "memory/api/traces/exported_traces.h"

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/base/json/stored.h"
#include "memory/api/traces/trace_fields.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

constexpr size_t kMaxTraceId = 64;    // characters
constexpr size_t kDigestDigits = 64;  // of SHA-256
constexpr int64_t kMostMs = int64_t{1} << 53;

Error InvalidExported(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

Result<std::string> TraceIdField(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(const std::string id, api::RequiredText(json, field, kMaxTraceId));
  if (id.starts_with("mt_")) return id;
  return InvalidExported(std::string(field) + " must begin with mt_, it is \"" + id + "\"");
}

Result<std::string> DigestField(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(const std::string digest, api::RequiredText(json, field, kDigestDigits));
  if (digest.size() == kDigestDigits) return digest;
  return InvalidExported(std::string(field) + " must be a SHA-256 of 64 digits");
}

Result<int64_t> WholeField(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(const auto given, base::OptionalInt(json, field));
  if (given && *given >= 0 && *given < kMostMs) return *given;
  return InvalidExported(std::string(field) + " must be a whole number from 0 on");
}

Result<double> FractionField(const Json& json, const char* field) {
  const auto given = json.find(field);
  if (given != json.end() && given->is_number() && *given >= 0 && *given <= 1)
    return given->get<double>();
  return InvalidExported(std::string(field) + " must be a number from 0 to 1");
}

Result<Json> ExtraField(const Json& json, const char* field) {
  const auto given = json.find(field);
  if (given == json.end() || given->is_null()) return Json::object();
  if (!given->is_object()) return InvalidExported(std::string(field) + " must be an object");
  return *given;
}

}  // namespace

Json EncodeExportedTrace(const ExportedTrace& trace) {
  Json json = {{"id", trace.id},
               {"project", trace.project},
               {"scope", trace.scope},
               {"scopeId", trace.scope_id},
               {"observation", trace.observation},
               {"hash", trace.hash},
               {"digest", trace.digest},
               {"strength", trace.strength.value},
               {"lastAccessed", trace.strength.accessed_ms},
               {"retrievalCount", trace.strength.retrievals},
               {"emotions", trace.emotions},
               {"metadata", trace.metadata}};
  if (trace.remind_ms) json["remindAt"] = *trace.remind_ms;
  if (trace.original) {
    json["verbatimContent"] = trace.original->content;
    json["archivedAt"] = trace.original->archived_ms;
  }
  return json;
}

Json EncodeExportedEdge(const ExportedEdge& edge) {
  return {{"from", edge.from},
          {"to", edge.edge.to},
          {"edge", edge.edge.kind},
          {"weight", edge.edge.weight},
          {"from_digest", edge.from_digest},
          {"to_digest", edge.to_digest}};
}

Result<ExportedTrace> DecodeExportedTrace(const Json& json) {
  if (!json.is_object()) return InvalidExported("a trace must be an object");
  ExportedTrace trace;
  ASSIGN_OR_RETURN(trace.id, TraceIdField(json, "id"));
  ASSIGN_OR_RETURN(trace.project, api::RequiredText(json, "project", api::kMaxProject));
  ASSIGN_OR_RETURN(trace.scope, api::RequiredText(json, "scope", api::kMaxScope));
  if (!IsTraceScope(trace.scope)) {
    return InvalidExported("scope must be one of thread, user, persona, organization, it is \"" +
                           trace.scope + "\"");
  }
  ASSIGN_OR_RETURN(trace.scope_id, api::RequiredText(json, "scopeId", api::kMaxScopeId));
  ASSIGN_OR_RETURN(trace.observation, WholeField(json, "observation"));
  ASSIGN_OR_RETURN(trace.hash, DigestField(json, "hash"));
  ASSIGN_OR_RETURN(trace.digest, DigestField(json, "digest"));
  ASSIGN_OR_RETURN(trace.strength.value, FractionField(json, "strength"));
  ASSIGN_OR_RETURN(trace.strength.accessed_ms, WholeField(json, "lastAccessed"));
  ASSIGN_OR_RETURN(trace.strength.retrievals, WholeField(json, "retrievalCount"));
  if (json.contains("remindAt")) {
    ASSIGN_OR_RETURN(trace.remind_ms, WholeField(json, "remindAt"));
  }
  if (json.contains("verbatimContent")) {
    trace.original.emplace();
    ASSIGN_OR_RETURN(trace.original->content,
                     api::RequiredText(json, "verbatimContent", api::kMaxContent));
    ASSIGN_OR_RETURN(trace.original->archived_ms, WholeField(json, "archivedAt"));
  }
  ASSIGN_OR_RETURN(trace.emotions, ExtraField(json, "emotions"));
  ASSIGN_OR_RETURN(trace.metadata, ExtraField(json, "metadata"));
  RETURN_IF_ERROR(CheckExtras(trace.emotions, trace.metadata, base::kMaxImportedLevels));
  return trace;
}

Result<ExportedEdge> DecodeExportedEdge(const Json& json) {
  if (!json.is_object()) return InvalidExported("an edge must be an object");
  ExportedEdge edge;
  ASSIGN_OR_RETURN(edge.from, TraceIdField(json, "from"));
  ASSIGN_OR_RETURN(edge.edge.to, TraceIdField(json, "to"));
  ASSIGN_OR_RETURN(edge.edge.kind, api::RequiredText(json, "edge", api::kMaxEdgeKind));
  ASSIGN_OR_RETURN(edge.edge.weight, FractionField(json, "weight"));
  ASSIGN_OR_RETURN(edge.from_digest, DigestField(json, "from_digest"));
  ASSIGN_OR_RETURN(edge.to_digest, DigestField(json, "to_digest"));
  return edge;
}

}  // namespace memory
