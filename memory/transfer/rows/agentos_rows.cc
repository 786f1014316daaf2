// Names and words of AgentOS.
#include "memory/transfer/rows/agentos_rows.h"

#include <cmath>
#include <utility>

namespace memory {

using base::Json;

namespace {

constexpr std::pair<const char*, const char*> kNames[] = {
    {"created_at", "createdAt"},
    {"updated_at", "updatedAt"},
    {"last_accessed", "lastAccessed"},
    {"retrieval_count", "retrievalCount"},
    {"scope_id", "scopeId"},
    {"conversation_id", "conversationId"},
    {"source_id", "from"},
    {"target_id", "to"},
};

void RenameFields(Json& row) {
  for (const auto& [theirs, ours] : kNames) {
    const auto found = row.find(theirs);
    if (found == row.end() || row.contains(ours)) continue;
    Json value = std::move(*found);
    row.erase(found);
    row[ours] = std::move(value);
  }
}

constexpr size_t kMostJsonText = 64 << 10;  // more than any of these fields may have

// A column holds JSON as text; text that is none, or too much, stays, and is refused.
void Unpack(Json& row, const char* field) {
  const auto found = row.find(field);
  if (found == row.end() || !found->is_string()) return;
  if (found->get_ref<const std::string&>().size() > kMostJsonText) return;
  if (auto json = base::ParseJson(found->get_ref<const std::string&>())) *found = std::move(*json);
}

// Milliseconds that a runtime wrote with a fraction.
void WholeTime(Json& row, const char* field) {
  const auto found = row.find(field);
  if (found == row.end() || !found->is_number_float()) return;
  const double ms = found->get<double>();
  if (ms >= 0 && ms < 9e15) *found = static_cast<int64_t>(std::llround(ms));
}

}  // namespace

Json TraceOfAgentOs(Json row) {
  if (!row.is_object()) return row;
  RenameFields(row);
  for (const char* field : {"tags", "emotions", "metadata"}) Unpack(row, field);
  for (const char* field : {"createdAt", "lastAccessed"}) WholeTime(row, field);
  if (row.value("scope", Json()) == "session") row["scope"] = "thread";
  if (row.value("scope", Json()) == "global") row["scope"] = "organization";
  if (!row.contains("scopeId")) {
    const std::string id = base::StringAt(row, {"metadata", "scopeId"});
    if (!id.empty()) row["scopeId"] = id;
  }
  if (base::StringAt(row, {"source", "origin"}).empty()) {
    if (!row.contains("source") || !row["source"].is_object()) row["source"] = Json::object();
    row["source"]["origin"] = "import";
  }
  return row;
}

bool IsDeletedThere(const Json& trace) {
  if (!trace.is_object()) return false;
  const Json deleted = trace.value("deleted", Json());
  return deleted == true || (deleted.is_number() && deleted != 0) ||
         (trace.contains("deletedAt") && !trace["deletedAt"].is_null());
}

Json EdgeOfAgentOs(Json row) {
  if (!row.is_object()) return row;
  RenameFields(row);
  if (!row.contains("kind") && row.contains("type")) row["kind"] = row["type"];
  return row;
}

Json ConversationOfAgentOs(Json row) {
  if (!row.is_object()) return row;
  RenameFields(row);
  Unpack(row, "metadata");
  for (const char* field : {"createdAt", "updatedAt"}) WholeTime(row, field);
  const std::string title = base::StringAt(row, {"title"});
  if (title.empty()) return row;
  if (!row.contains("metadata")) row["metadata"] = Json::object();
  if (row["metadata"].is_object()) row["metadata"]["title"] = title;
  return row;
}

Json MessageOfAgentOs(Json row) {
  if (!row.is_object()) return row;
  RenameFields(row);
  WholeTime(row, "createdAt");
  return row;
}

}  // namespace memory
