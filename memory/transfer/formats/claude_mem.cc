// claude-mem's tables: sdk_sessions, observations, session_summaries, user_prompts. Columns differ
// between its versions: each is taken under any of its names.
#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "memory/transfer/formats/converter.h"

namespace memory {

using base::Json;

namespace {

// The first are the agent's, which prompts have, too.
constexpr const char* kSessionColumns[] = {"content_session_id", "claude_session_id",
                                           "memory_session_id", "sdk_session_id"};
constexpr size_t kMostSessions = 100'000;

std::string SessionNamed(const std::string& id) {
  return base::Ellipsize("claude-mem-" + id, api::kMaxSessionId);
}

Json TimeIn(const Json& row, const char* epoch, const char* text) {
  for (const char* column : {epoch, text}) {
    if (!row.contains(column)) continue;
    Json time = ForeignTime(row[column]);
    if (time.is_string() && !time.get_ref<const std::string&>().empty()) return time;
  }
  return nullptr;
}

// A JSON array of texts, or text.
std::vector<std::string> ListIn(const Json& row, const char* column) {
  std::vector<std::string> items;
  const std::string text = base::StringAt(row, {column});
  if (base::IsBlank(text) || text == "[]" || text == "null") return items;
  const auto list = base::ParseJson(text);
  if (!list || !list->is_array()) return {text};
  for (const Json& item : *list)
    items.push_back(item.is_string() ? item.get<std::string>() : base::DumpJson(item));
  return items;
}

void AddText(std::string& content, const std::string& head, const std::string& text) {
  if (base::IsBlank(text)) return;
  content += (content.empty() ? "" : "\n") + head + text;
}

// Content of the named columns; the other columns that say something follow as lines.
Json RowOfColumns(const Json& row, const std::string& content,
                  std::initializer_list<std::string_view> taken) {
  Json fields = Json::object();
  for (const auto& [column, value] : row.items()) {
    const bool known = std::find(taken.begin(), taken.end(), column) != taken.end() ||
                       column == "id" || column == "created_at" || column == "created_at_epoch" ||
                       column == "prompt_number" || column.ends_with("session_id") ||
                       column == "content_hash" || column == "discovery_tokens";
    if (!known && !(value.is_string() && value == "[]")) fields[column] = value;
  }
  fields["content"] = content;
  if (const Json at = TimeIn(row, "created_at_epoch", "created_at"); !at.is_null())
    fields["created_at"] = at;
  return fields;
}

Json ObservationRow(const Json& row) {
  std::string content;
  AddText(content, "", base::StringAt(row, {"subtitle"}));
  AddText(content, "", base::StringAt(row, {"narrative"}));
  AddText(content, "", base::StringAt(row, {"text"}));
  for (const std::string& fact : ListIn(row, "facts")) AddText(content, "- ", fact);
  if (content.empty()) content = TextOfFirst(row, {"title"});
  for (const char* files : {"files_read", "files_modified"})
    AddText(content, std::string(files) + ": ", base::Join(ListIn(row, files), ", "));
  Json fields = RowOfColumns(row, content,
                             {"title", "subtitle", "narrative", "text", "facts", "concepts",
                              "files_read", "files_modified", "type"});
  if (const std::string title = TextOfFirst(row, {"title"}); !title.empty())
    fields["title"] = title;
  if (const std::string type = TextOfFirst(row, {"type"}); !type.empty())
    fields["type"] = base::Ellipsize(type, api::kMaxType);
  Json tags = Json::array();
  for (const std::string& concept_name : ListIn(row, "concepts"))
    if (!base::IsBlank(concept_name)) tags.push_back(base::Ellipsize(concept_name, api::kMaxTag));
  if (!tags.empty()) fields["tags"] = tags;
  return fields;
}

Json SummaryRow(const Json& row) {
  std::string content;
  const std::pair<const char*, const char*> parts[] = {
      {"request", "Request: "},     {"investigated", "Investigated: "}, {"learned", "Learned: "},
      {"completed", "Completed: "}, {"next_steps", "Next steps: "},     {"notes", "Notes: "}};
  for (const auto& [column, head] : parts) AddText(content, head, base::StringAt(row, {column}));
  for (const char* files : {"files_read", "files_edited"})
    AddText(content, std::string(files) + ": ", base::Join(ListIn(row, files), ", "));
  Json fields = RowOfColumns(row, content,
                             {"request", "investigated", "learned", "completed", "next_steps",
                              "notes", "files_read", "files_edited"});
  fields["type"] = "session";
  if (const std::string request = TextOfFirst(row, {"request"}); !request.empty())
    fields["title"] = "Session: " + TitleOf(request);
  return fields;
}

}  // namespace

ForeignRows ClaudeMemRows::TakeSession(const Json& row) {
  ForeignRows made;
  Known known{"", TextOfFirst(row, {"project"})};
  for (const char* column : kSessionColumns) {
    const std::string id = base::StringAt(row, {column});
    if (base::IsBlank(id)) continue;
    if (known.session.empty()) known.session = SessionNamed(id);
    if (known_.size() < kMostSessions) known_[id] = known;
  }
  if (known.session.empty()) {
    if (const std::string prompt = TextOfFirst(row, {"user_prompt"}); !prompt.empty())
      made.rows.push_back({.fields = {{"type", "prompt"}, {"content", prompt}}});
    return made;
  }
  Json session = {{"id", known.session}, {"project", known.project}};
  if (Json at = TimeIn(row, "started_at_epoch", "started_at"); !at.is_null())
    session["started_at"] = at;
  if (Json at = TimeIn(row, "completed_at_epoch", "completed_at"); !at.is_null())
    session["ended_at"] = at;
  if (const std::string prompt = TextOfFirst(row, {"user_prompt"}); !prompt.empty())
    session["summary"] = "Started: \"" + prompt + "\"";
  made.sessions.push_back(std::move(session));
  return made;
}

ForeignRows ClaudeMemRows::Take(const std::string& table, const Json& row) {
  ForeignRows made;
  if (!row.is_object()) return made;
  if (table == "sdk_sessions") return TakeSession(row);
  Json fields = table == "observations" ? ObservationRow(row)
                : table == "session_summaries"
                    ? SummaryRow(row)
                    : RowOfColumns(row, TextOfFirst(row, {"prompt_text"}), {"prompt_text"});
  if (table == "user_prompts") fields["type"] = "prompt";
  if (base::IsBlank(base::StringAt(fields, {"content"}))) {
    made.left_out.push_back("a row of " + table + " has no text");
    return made;
  }
  for (const char* column : kSessionColumns) {
    const std::string id = base::StringAt(row, {column});
    if (base::IsBlank(id)) continue;
    const auto known = known_.find(id);
    fields["session_id"] = known == known_.end() ? SessionNamed(id) : known->second.session;
    if (known != known_.end() && TextOfFirst(fields, {"project"}).empty() &&
        !known->second.project.empty())
      fields["project"] = known->second.project;
    break;
  }
  made.rows.push_back({.fields = std::move(fields)});
  return made;
}

}  // namespace memory
