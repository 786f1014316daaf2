// Times are RFC 3339, or milliseconds where they are beyond its years.
#include <algorithm>

#include "lib/base/process/clock.h"
#include "lib/base/text/digest.h"
#include "memory/transfer/notes/note_links.h"
#include "memory/transfer/notes/notes.h"
#include "memory/transfer/rows/agentos_rows.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

using base::Json;

namespace {

constexpr int64_t kLastMs = 253'402'300'799'999;  // of the year 9999
constexpr int kMostLevels = 6;
constexpr size_t kMostKeyBytes = 100;
constexpr const char* kTimes[] = {"lastAccessed", "remindAt"};

Json TimeOf(int64_t ms) { return ms >= 0 && ms <= kLastMs ? Json(base::FormatTime(ms)) : Json(ms); }

const char* ImpliedScope(std::string_view trace_scope) {
  return trace_scope == kOrganizationScope ? "global" : "project";
}

// Whether YAML holds the value in lines that a person can read; else it is JSON in a string.
bool IsPlain(const Json& value, int levels) {
  if (!value.is_structured()) return true;
  if (levels == 0) return false;
  for (const auto& [key, item] : value.items()) {
    const bool line =
        std::none_of(key.begin(), key.end(), [](unsigned char c) { return c < ' ' || c >= 127; });
    if (value.is_object() && (key.size() > kMostKeyBytes || !line)) return false;
    if (!IsPlain(item, levels - 1)) return false;
  }
  return true;
}

void PutExtra(Json& front, const char* field, const Json& extra) {
  if (extra.empty()) return;
  front[field] = IsPlain(extra, kMostLevels) ? extra : Json(base::DumpJson(extra));
}

// Milliseconds; a time that cannot be read stays, and the decoding of the trace names the error.
Json MillisecondsOf(const Json& time) {
  if (!time.is_string()) return time;
  const Json text = ForeignTime(time);
  if (!text.is_string()) return text;
  const auto ms = base::ParseTime(text.get_ref<const std::string&>());
  return ms ? Json(*ms) : time;
}

}  // namespace

Json FrontOf(const ExportedRow& row) {
  Json front = FrontOf(row.row);
  if (!row.trace) return front;
  const ExportedTrace& trace = *row.trace;
  front["kind"] = "trace";
  front["observation"] = row.row.id;
  front["id"] = trace.id;
  if (row.row.scope != ImpliedScope(trace.scope)) front["observation_scope"] = row.row.scope;
  front["scope"] = trace.scope;
  front["scopeId"] = trace.scope_id;
  front["strength"] = trace.strength.value;
  front["lastAccessed"] = TimeOf(trace.strength.accessed_ms);
  front["retrievalCount"] = trace.strength.retrievals;
  front["createdAt"] = std::move(front["created_at"]);
  front.erase("created_at");
  if (trace.remind_ms) front["remindAt"] = TimeOf(*trace.remind_ms);
  PutExtra(front, "emotions", trace.emotions);
  PutExtra(front, "metadata", trace.metadata);
  return front;
}

std::optional<Json> TakeTraceFields(Json& front, const TraceContext& context) {
  if (!base::StringAt(front, {"id"}).starts_with("mt_")) return std::nullopt;
  Json trace = {{"scope", kUserScope}, {"strength", 1.0}, {"retrievalCount", 0}};
  for (const char* field : {"id", "scope", "scopeId", "strength", "lastAccessed", "retrievalCount",
                            "remindAt", "emotions", "metadata"}) {
    auto found = front.find(field);
    if (found == front.end()) continue;
    if (!found->is_null()) trace[field] = std::move(*found);
    front.erase(found);
  }
  for (const char* time : kTimes) {
    if (trace.contains(time)) trace[time] = MillisecondsOf(trace[time]);
  }
  for (const char* extra : {"emotions", "metadata"}) {
    auto text = trace.find(extra);
    if (text == trace.end() || !text->is_string()) continue;
    auto json = base::ParseJson(text->get_ref<const std::string&>());
    if (json) *text = std::move(*json);
  }
  trace = TraceOfAgentOs(std::move(trace));
  const std::string scope = base::StringAt(trace, {"scope"});
  if (!trace.contains("scopeId")) trace["scopeId"] = context.ScopeId(scope);
  if (base::StringAt(front, {"project"}).empty()) front["project"] = context.project;
  front["scope"] = ImpliedScope(scope);
  for (const auto& [ours, name] :
       {std::pair("id", "observation"), std::pair("scope", "observation_scope")}) {
    auto found = front.find(name);
    if (found == front.end()) continue;
    front[ours] = std::move(*found);
    front.erase(name);
  }
  return trace;
}

std::string RelatedOf(const ExportedRow& row) {
  if (row.links.empty()) return "";
  std::string section = std::string(kRelatedHeading) + "\n";
  for (const ExportedLink& link : row.links) {
    section += RelatedLine(TraceFileName(link.edge.to), link.edge.kind, link.edge.weight);
  }
  return section;
}

Json TraceOfNote(Json fields, const Json& row, int64_t now_ms) {
  const std::string content = base::StringAt(row, {"content"});
  fields["project"] = row.value("project", Json());
  fields["observation"] = row.value("id", Json(0));
  fields["hash"] = api::NormalizedHash(content);
  fields["digest"] = base::Sha256Hex(content);
  if (!fields.contains("lastAccessed")) {
    const auto created = base::ParseTime(base::StringAt(row, {"created_at"}));
    fields["lastAccessed"] = created ? *created : now_ms;
  }
  return fields;
}

}  // namespace memory
