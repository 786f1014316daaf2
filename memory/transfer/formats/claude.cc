// Claude's export: conversations.json, projects.json, memories.json.
#include <algorithm>
#include <set>

#include "lib/base/text/text.h"
#include "memory/transfer/formats/conversation_rows.h"

namespace memory {

using base::Json;

namespace {

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
std::string SaidIn(const Json& message, ConversationRows& rows) {
  std::string text;
  const auto add = [&](std::string_view part) {
    if (!base::IsBlank(part)) text += (text.empty() ? "" : "\n") + std::string(part);
  };
  for (const Json& block : FirstOf(message, {"content"})) {  // of a string: itself
    const std::string type = base::StringAt(block, {"type"});
    std::string said = IsOfTools(type) ? ArtifactIn(block) : base::StringAt(block, {"text"});
    if (said.empty() && !IsOfTools(type)) said = TextsIn(block);
    add(said);
    if (base::IsBlank(said) && !block.is_string() && type != "text")
      rows.LeaveOut(type.empty() ? "unknown" : base::Ellipsize(type, 40));
  }
  add(FurtherLines(base::StringAt(message, {"text"}), text));
  for (const Json& file : FirstOf(message, {"attachments"})) {
    const std::string content = base::StringAt(file, {"extracted_content"});
    if (base::IsBlank(content))
      rows.LeaveOut("attachment " + base::Ellipsize(base::StringAt(file, {"file_name"}), 80));
    else
      add("Attachment " + base::StringAt(file, {"file_name"}, "without a name") + ":\n" + content);
  }
  for (const Json& file : FirstOf(message, {"files"}))
    rows.LeaveOut("file " + base::Ellipsize(base::StringAt(file, {"file_name"}), 80));
  return text;
}

ForeignRows RowsOfConversation(const Json& conversation) {
  ConversationRows rows("claude", base::StringAt(conversation, {"uuid"}), conversation,
                        base::StringAt(conversation, {"name"}));
  for (const Json& message : FirstOf(conversation, {"chat_messages"})) {
    if (message.is_string()) rows.Say(false, message.get<std::string>(), Json());
    const std::string sender = base::StringAt(message, {"sender"});
    rows.Say(sender == "human" || sender == "user", SaidIn(message, rows),
             FirstOf(message, {"created_at"}));
  }
  ForeignRows made = rows.Finish(ForeignTime(FirstOf(conversation, {"created_at"})),
                                 ForeignTime(FirstOf(conversation, {"updated_at"})));
  const std::string summary = base::StringAt(conversation, {"summary"});
  if (!base::IsBlank(summary)) made.sessions[0]["summary"] = summary;
  return made;
}

void AddProject(const Json& project, ForeignRows& made) {
  const std::string name = base::StringAt(project, {"name"}, "without a name");
  const auto add = [&](const std::string& title, const std::string& content, const Json& time) {
    if (base::IsBlank(content)) return;
    Json row = {
        {"title", title}, {"content", content}, {"tags", {base::Ellipsize(name, api::kMaxTag)}}};
    const Json at = ForeignTime(time);
    if (!at.is_null()) row["created_at"] = at;
    made.rows.push_back({.fields = std::move(row)});
  };
  const Json created = FirstOf(project, {"created_at"});
  add(name, base::StringAt(project, {"description"}), created);
  add("Instructions of " + name, base::StringAt(project, {"prompt_template"}), created);
  for (const Json& doc : FirstOf(project, {"docs"})) {
    const Json at = FirstOf(doc, {"created_at"});
    add(base::StringAt(doc, {"filename"}, name), base::StringAt(doc, {"content"}),
        at.is_null() ? created : at);
  }
}

// Text at any depth: the account's memory, and one of each project.
void AddMemories(const std::string& name, const Json& value, ForeignRows& made) {
  if (value.is_string() && !base::IsBlank(value.get_ref<const std::string&>()) &&
      !name.ends_with("uuid"))
    made.rows.push_back({.fields = {{"title", name}, {"content", value}}});
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items())
    AddMemories(value.is_array() ? name : name + (name.empty() ? "" : " ") + key, inner, made);
}

bool IsOfClaude(const std::string& array, const Json& element) {
  if (!(array.empty() || array == "conversations") || !element.is_object()) return false;
  const Json docs = FirstOf(element, {"docs"});
  const bool project = element.contains("uuid") && element.contains("prompt_template");
  return element.contains("chat_messages") || element.contains("conversations_memory") ||
         element.contains("project_memories") || project ||
         (element.contains("docs") &&
          (element.contains("uuid") || (docs.is_array() && !docs.empty() && docs[0].is_object() &&
                                        docs[0].contains("filename"))));
}

std::optional<ForeignRows> RowsOfClaude(const std::string&, const Json& element) {
  if (!element.is_object()) return ForeignRows{.left_out = {"it is no object"}};
  ForeignRows made;
  if (element.contains("chat_messages")) made = RowsOfConversation(element);
  if (element.contains("docs") || element.contains("prompt_template")) AddProject(element, made);
  for (const char* memories : {"conversations_memory", "project_memories"})
    if (element.contains(memories)) AddMemories(memories, element[memories], made);
  if (made.rows.empty() && made.sessions.empty() && made.left_out.empty() && !element.empty())
    made.left_out.push_back("it has no text: neither chat_messages, docs nor memories");
  return made;
}

}  // namespace

constinit const Converter kClaude{"claude", "Claude (conversations.json)", IsOfClaude, RowsOfClaude,
                                  true};

}  // namespace memory
