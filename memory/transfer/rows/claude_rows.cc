// Claude's export: conversations.json, projects.json, memories.json.
#include <algorithm>
#include <set>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/transfer/rows/other_programs.h"
#include "memory/transfer/rows/paired_rows.h"
#include "memory/transfer/rows/part_texts.h"

namespace memory {

using base::Json;

namespace {

Json FieldOf(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

// Blocks that are neither a person's nor a model's words to a person.
bool IsOfTools(std::string_view type) {
  return type == "thinking" || type == "redacted_thinking" || type == "tool_use" ||
         type == "tool_result";
}

// What a tool call makes for people: the text of an artifact.
std::string ArtifactIn(const Json& block) {
  const std::string text = base::StringAt(block, {"input", "content"});
  const bool artifact = base::StringAt(block, {"name"}) == "artifacts" && !base::IsBlank(text);
  const std::string title = base::StringAt(block, {"input", "title"}, "without a name");
  return artifact ? "Artifact " + title + ":\n" + text : "";
}

// Lines of `text` that `said` does not have. Exports have a message's text twice, as blocks and
// whole, where a line stands for a block that was not shown.
std::string FurtherLines(const std::string& text, const std::string& said) {
  if (said.empty()) return text;
  const std::vector<std::string> lines = base::Split(said, '\n');
  std::set<std::string_view> known = {"```",
                                      "This block is not supported on your current device yet."};
  for (const std::string& line : lines) known.insert(base::Trim(line));
  std::string further;
  for (const std::string& line : base::Split(text, '\n'))
    if (!base::IsBlank(line) && !known.contains(base::Trim(line)))
      further += (further.empty() ? "" : "\n") + line;
  return further;
}

// The text blocks, and what the text beside them says more.
std::string SaidIn(const Json& message, PairedRows& rows) {
  std::string text;
  const auto add = [&](std::string_view part) {
    if (!base::IsBlank(part)) text += (text.empty() ? "" : "\n") + std::string(part);
  };
  for (const Json& block : FieldOf(message, "content")) {  // of a string: itself
    const std::string type = base::StringAt(block, {"type"});
    std::string said = IsOfTools(type) ? ArtifactIn(block) : base::StringAt(block, {"text"});
    if (said.empty() && !IsOfTools(type)) said = TextsIn(block);
    add(said);
    if (base::IsBlank(said) && !block.is_string() && type != "text")
      rows.LeaveOut(type.empty() ? "unknown" : base::Ellipsize(type, 40));
  }
  add(FurtherLines(base::StringAt(message, {"text"}), text));
  for (const Json& file : FieldOf(message, "attachments")) {
    const std::string content = base::StringAt(file, {"extracted_content"});
    if (base::IsBlank(content))
      rows.LeaveOut("attachment " + base::Ellipsize(base::StringAt(file, {"file_name"}), 80));
    else
      add("Attachment " + base::StringAt(file, {"file_name"}, "without a name") + ":\n" + content);
  }
  for (const Json& file : FieldOf(message, "files"))
    rows.LeaveOut("file " + base::Ellipsize(base::StringAt(file, {"file_name"}), 80));
  return text;
}

OtherRows RowsOfConversation(const Json& conversation, const ForeignDefaults& defaults) {
  std::string id = base::StringAt(conversation, {"uuid"});
  if (id.empty()) id = base::Sha256Hex(base::DumpJson(conversation)).substr(0, 32);
  PairedRows rows(base::Ellipsize("claude-" + id, api::kMaxSessionId),
                  base::StringAt(conversation, {"name"}), defaults);
  for (const Json& message : FieldOf(conversation, "chat_messages")) {
    if (message.is_string()) rows.Say(false, message.get<std::string>(), Json());
    const std::string sender = base::StringAt(message, {"sender"});
    rows.Say(sender == "human" || sender == "user", SaidIn(message, rows),
             FieldOf(message, "created_at"));
  }
  OtherRows made = rows.Finish(ForeignTime(FieldOf(conversation, "created_at")),
                               ForeignTime(FieldOf(conversation, "updated_at")));
  const std::string summary = base::StringAt(conversation, {"summary"});
  if (!base::IsBlank(summary)) made.sessions[0]["summary"] = summary;
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
    made.rows.push_back(RowOfFields(std::move(row), defaults));
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
    made.rows.push_back(RowOfFields({{"title", name}, {"content", value}}, defaults));
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
         (element.contains("uuid") &&
          (element.contains("docs") || element.contains("prompt_template")));
}

OtherRows RowsOfClaude(const Json& element, const ForeignDefaults& defaults) {
  if (!element.is_object()) return {{}, {}, {"it is no object"}};
  if (element.contains("chat_messages")) return RowsOfConversation(element, defaults);
  if (element.contains("docs") || element.contains("prompt_template"))
    return RowsOfProject(element, defaults);
  OtherRows made;
  for (const char* memories : {"conversations_memory", "project_memories"})
    if (element.contains(memories)) AddMemories(memories, element[memories], defaults, made);
  return made;
}

}  // namespace memory
