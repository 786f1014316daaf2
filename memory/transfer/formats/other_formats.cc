// An object with messages is one conversation: its elements are collected until its end.
#include "memory/transfer/formats/other_formats.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/api/json_elements.h"
#include "memory/transfer/rows/body_lines.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;

namespace {

constexpr size_t kMostMessages = 100'000;

bool IsMessageList(const std::string& array) {
  return array == "messages" || array == "contents" || array == "chunks" || array == "turns" ||
         array == "history";
}

bool IsFormatOf(const std::string& format, const char* named) {
  return format == "auto" || format == named;
}

// A message of a conversation, and none of AgentOS'.
bool IsMessage(const Json& element) {
  if (!element.is_object() || element.contains("conversationId") ||
      element.contains("conversation_id"))
    return false;
  for (const char* field : {"role", "type", "author", "sender"})
    if (!base::StringAt(element, {field}).empty()) return true;
  return false;
}

}  // namespace

Status TakeOther(const OtherRows& made, const Json& where, Importer& importer) {
  for (const Json& session : made.sessions)
    RETURN_IF_ERROR(importer.TakeForeignSession(session, where));
  for (const Json& row : made.rows) RETURN_IF_ERROR(importer.TakeForeign(row, where));
  const bool nothing = made.sessions.empty() && made.rows.empty();
  for (const std::string& what : made.left_out) {
    if (nothing)
      importer.RefuseObservation({Code::kInvalid, what}, where);
    else
      importer.Tell(what, where, true);
  }
  return {};
}

bool OtherFormats::Is(const std::string& array, const Json& element) const {
  const std::string& format = defaults_.format;
  if (format == "claude" || format == "gemini" || format == "mcp-memory" || format == "chatgpt")
    return true;
  if (format != "auto") return false;
  const bool list = array.empty() || array == "conversations";
  if (list && (IsOfChatGpt(element) || IsOfClaude(element) || IsOfGemini(element))) return true;
  if (array == "docs" && element.is_object() && element.contains("filename")) return true;
  if (IsMessageList(array)) return IsMessage(element);
  return (array == "entities" || array == "relations" || array.empty()) && IsOfMcpMemory(element);
}

Status OtherFormats::Take(const std::string& array, const Json& element) {
  ForeignDefaults named = defaults_;
  if (IsMessageList(array)) {
    Json& messages = conversation_["messages"];
    if (messages.size() < kMostMessages) messages.push_back(element);
    if (messages.size() < kMostMessages) return {};
    return Error{Code::kTooLarge, "a conversation has more than 100,000 messages"};
  }
  const std::string& format = defaults_.format;
  if (IsFormatOf(format, "chatgpt") && (format == "chatgpt" || IsOfChatGpt(element))) {
    named.format = "chatgpt";
    return TakeOther(RowsOfChatGpt(element, named), Json(), importer_);
  }
  if (array == "docs" || array == "chat_messages") {
    (array == "docs" ? project_ : conversation_)[array].push_back(element);
    return {};
  }
  if (IsFormatOf(format, "claude") && (format == "claude" || IsOfClaude(element))) {
    named.format = "claude";
    const OtherRows made = RowsOfClaude(element, named);
    if (made.rows.empty() && made.sessions.empty() && made.left_out.empty() && !element.empty())
      return TakeOther({{}, {}, {"it has no text: neither chat_messages, docs nor memories"}},
                       Json(), importer_);
    return TakeOther(made, Json(), importer_);
  }
  if (IsFormatOf(format, "mcp-memory") && (format == "mcp-memory" || IsOfMcpMemory(element))) {
    named.format = "mcp-memory";
    return TakeOther(RowsOfMcpMemory(element, named), Json(), importer_);
  }
  named.format = "gemini";
  return TakeOther(RowsOfGemini(element, named), Json(), importer_);
}

bool OtherFormats::TakeField(const std::string& name, const Json& value) {
  if ((name == "chunkedPrompt" && value.is_object() && value.contains("chunks")) ||
      (name == "mapping" && value.is_object())) {
    conversation_[name] = value;
    return true;
  }
  if (name == "systemInstruction" || name == "system_instruction") project_[name] = value;
  constexpr const char* kNames[] = {"uuid",         "name",        "description", "prompt_template",
                                    "created_at",   "updated_at",  "title",       "sessionId",
                                    "startTime",    "lastUpdated", "id",          "conversation_id",
                                    "current_node", "create_time", "update_time", "summary"};
  if (value.is_primitive() &&
      std::ranges::any_of(kNames, [&](const char* one) { return name == one; })) {
    project_[name] = value;
  }
  if (name != "conversations_memory" && name != "project_memories") return false;
  conversation_[name] = value;
  return true;
}

Status OtherFormats::Finish() {
  ForeignDefaults named = defaults_;
  const bool claude = conversation_.contains("chat_messages") ||
                      conversation_.contains("conversations_memory") ||
                      conversation_.contains("project_memories");
  named.format = claude || project_.contains("docs") ? "claude" : "gemini";
  if (project_.contains("docs"))
    RETURN_IF_ERROR(TakeOther(RowsOfClaude(project_, named), Json(), importer_));
  if (conversation_.empty()) return {};
  for (const auto& [name, value] : project_.items())
    if (!conversation_.contains(name) && name != "docs") conversation_[name] = value;
  if (conversation_.contains("mapping")) {
    named.format = "chatgpt";
    return TakeOther(RowsOfChatGpt(conversation_, named), Json(), importer_);
  }
  return TakeOther(claude ? RowsOfClaude(conversation_, named) : RowsOfGemini(conversation_, named),
                   Json(), importer_);
}

bool StartsAsMcpMemory(std::string_view beginning) {
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  const std::string_view line = base::Trim(beginning).substr(0, base::Trim(beginning).find('\n'));
  if (const auto json = base::ParseJson(line)) {
    const std::string type = base::StringAt(*json, {"type"});
    return (type == "entity" || type == "relation") && IsOfMcpMemory(*json);
  }
  // A line that is longer than what was looked at.
  std::string squeezed;
  for (const char c : line)
    if (c != ' ' && c != '\t') squeezed += c;
  return squeezed.starts_with("{\"type\":\"entity\",") ||
         squeezed.starts_with("{\"type\":\"relation\",") ||
         squeezed.starts_with("{\"entityType\":") ||
         (squeezed.starts_with("{\"name\":") && squeezed.find("\"entityType\":") != squeezed.npos);
}

Status ReadMcpMemory(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer) {
  ForeignDefaults named = defaults;
  named.format = "mcp-memory";
  size_t number = 0;
  return ForEachLine(body, kMaxElementBytes, [&](std::string_view line) -> Status {
    const Json where = {{"line", ++number}};
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (base::IsBlank(line)) return {};
    const auto json = base::ParseJson(line);
    if (!json || !IsOfMcpMemory(*json)) {
      importer.RefuseObservation(
          {Code::kInvalid, json ? "it is neither an entity nor a relation" : json.error().message},
          where);
      return {};
    }
    return TakeOther(RowsOfMcpMemory(*json, named), where, importer);
  });
}

}  // namespace memory
