// Names and words of AgentOS; kept elements, whose titles say which element it is, by its digest,
// and which part of how many.
#include "memory/transfer/rows/agentos_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Json;
using base::Status;

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

void RenameColumns(Json& row) {
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

const std::string kKeptTag = "agentos:";

std::string TitleOfPart(const std::string& name, size_t part, size_t parts) {
  return name + " (" + std::to_string(part) + " of " + std::to_string(parts) + ")";
}

}  // namespace

Json TraceOfAgentOs(Json row) {
  if (!row.is_object()) return row;
  RenameColumns(row);
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
  RenameColumns(row);
  if (!row.contains("kind") && row.contains("type")) row["kind"] = row["type"];
  return row;
}

Json ConversationOfAgentOs(Json row) {
  if (!row.is_object()) return row;
  RenameColumns(row);
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
  RenameColumns(row);
  WholeTime(row, "createdAt");
  return row;
}

std::vector<Json> KeptRows(const std::string& array, const Json& element,
                           const std::string& project) {
  const std::string text = base::DumpJson(element);
  std::vector<std::string_view> parts;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(parts.back().size()))
    parts.push_back(base::Prefix(rest, api::kMaxContent));
  std::vector<Json> rows;
  for (size_t i = 0; i < parts.size(); ++i)
    rows.push_back(
        {{"type", kKeptType},
         {"title", TitleOfPart(array + " " + base::Sha256Hex(text), i + 1, parts.size())},
         {"content", parts[i]},
         {"tags", {kKeptTag + array}},
         {"project", project},
         {"session_id", base::Prefix("agentos-import-" + project, api::kMaxSessionId)},
         {"source", {{"origin", api::kOriginImport}}}});
  return rows;
}

std::string KeptElements::ArrayOf(const std::string& type, const std::vector<std::string>& tags) {
  if (type != kKeptType) return "";
  for (const char* array : kKeptArrays)
    if (std::find(tags.begin(), tags.end(), kKeptTag + array) != tags.end()) return array;
  return "";
}

Status KeptElements::Take(const std::string& title, const std::string& content,
                          const std::function<Status(const Json&)>& on_element) {
  const size_t behind = title.rfind(" (");
  const std::string name = title.substr(0, behind);
  if (name != open_) open_ = name, text_.clear(), parts_ = 0;
  text_ += content;
  ++parts_;
  const std::string end = "of " + std::to_string(parts_) + ")";
  if (!title.ends_with(" (" + std::to_string(parts_) + " " + end)) return {};
  open_.clear();
  const std::string text = std::exchange(text_, std::string());
  auto element = base::ParseJson(text);
  // Somebody's change of a part is theirs: it is an observation, and no element of AgentOS'.
  if (!element || name != array_ + " " + base::Sha256Hex(text)) return {};
  return on_element(*element);
}

}  // namespace memory
