// Claude's export: conversations.json, projects.json, memories.json.
#include <algorithm>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/transfer/rows/other_programs.h"
#include "memory/transfer/rows/paired_rows.h"

namespace memory {

using base::Json;

namespace {

Json FieldOf(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

// The text blocks; without them the text that older exports have alone.
std::string SaidIn(const Json& message, PairedRows& rows) {
  std::string text;
  const auto add = [&](std::string_view part) {
    if (!base::IsBlank(part)) text += (text.empty() ? "" : "\n") + std::string(part);
  };
  for (const Json& block : FieldOf(message, "content")) {  // of a string: itself
    if (block.is_string()) {
      add(block.get_ref<const std::string&>());
      continue;
    }
    const std::string type = base::StringAt(block, {"type"});
    const std::string said = base::StringAt(block, {"text"});
    if (!said.empty())
      add(said);
    else if (type != "text" || !block.is_object())
      rows.LeaveOut(type.empty() ? "unknown" : base::Ellipsize(type, 40));
  }
  if (text.empty()) add(base::StringAt(message, {"text"}));
  for (const Json& file : FieldOf(message, "attachments")) {
    const std::string content = base::StringAt(file, {"extracted_content"});
    if (base::IsBlank(content))
      rows.LeaveOut("attachment");
    else
      add("Attachment " + base::StringAt(file, {"file_name"}, "without a name") + ":\n" + content);
  }
  for ([[maybe_unused]] const Json& file : FieldOf(message, "files")) rows.LeaveOut("file");
  return text;
}

OtherRows RowsOfConversation(const Json& conversation, const ForeignDefaults& defaults) {
  std::string id = base::StringAt(conversation, {"uuid"});
  if (id.empty()) id = base::Sha256Hex(base::DumpJson(conversation)).substr(0, 32);
  PairedRows rows(base::Ellipsize("claude-" + id, api::kMaxSessionId),
                  base::StringAt(conversation, {"name"}), defaults);
  for (const Json& message : FieldOf(conversation, "chat_messages")) {
    const std::string sender = base::StringAt(message, {"sender"});
    rows.Say(sender == "human" || sender == "user", SaidIn(message, rows),
             FieldOf(message, "created_at"));
  }
  OtherRows made = rows.Finish(ForeignTime(FieldOf(conversation, "created_at")),
                               ForeignTime(FieldOf(conversation, "updated_at")));
  const std::string summary = base::StringAt(conversation, {"summary"});
  if (!base::IsBlank(summary) && !made.sessions.empty()) made.sessions[0]["summary"] = summary;
  return made;
}

OtherRows RowsOfProject(const Json& project, const ForeignDefaults& defaults) {
  OtherRows made;
  const std::string name = base::StringAt(project, {"name"}, "without a name");
  const auto add = [&](const std::string& title, const std::string& content, const Json& time) {
    if (base::IsBlank(content)) return;
    Json row = {
        {"title", title}, {"content", content}, {"tags", {base::Ellipsize(name, api::kMaxTag)}}};
    const Json at = ForeignTime(time);
    if (!at.is_null()) row["created_at"] = at;
    AddInParts(std::move(row), defaults, made);
  };
  const Json created = FieldOf(project, "created_at");
  add(name, base::StringAt(project, {"description"}), created);
  add("Instructions of " + name, base::StringAt(project, {"prompt_template"}), created);
  for (const Json& doc : FieldOf(project, "docs")) {
    const Json at = FieldOf(doc, "created_at");
    add(base::StringAt(doc, {"filename"}, name), base::StringAt(doc, {"content"}),
        at.is_null() ? created : at);
  }
  return made;
}

// Text at any depth: the account's memory, and one of each project.
void AddMemories(const std::string& name, const Json& value, const ForeignDefaults& defaults,
                 OtherRows& made) {
  if (value.is_string() && !base::IsBlank(value.get_ref<const std::string&>()) &&
      !name.ends_with("uuid"))
    AddInParts({{"title", name}, {"content", value}}, defaults, made);
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items())
    AddMemories(value.is_array() ? name : name + (name.empty() ? "" : " ") + key, inner, defaults,
                made);
}

}  // namespace

bool IsOfClaude(const Json& element) {
  if (!element.is_object()) return false;
  return element.contains("chat_messages") || element.contains("conversations_memory") ||
         element.contains("project_memories") ||
         (element.contains("docs") && element.contains("uuid"));
}

OtherRows RowsOfClaude(const Json& element, const ForeignDefaults& defaults) {
  if (!element.is_object()) return {};
  if (element.contains("chat_messages")) return RowsOfConversation(element, defaults);
  if (element.contains("docs") || element.contains("prompt_template"))
    return RowsOfProject(element, defaults);
  OtherRows made;
  for (const char* memories : {"conversations_memory", "project_memories"})
    if (element.contains(memories)) AddMemories(memories, element[memories], defaults, made);
  return made;
}

}  // namespace memory
