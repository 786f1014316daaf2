// Gemini's exports: activities of Takeout, and conversations in the forms of AI Studio, of the API
// and of the command line.
#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/transfer/formats/conversation_rows.h"

namespace memory {

using base::Json;

namespace {

constexpr std::string_view kGeminis[] = {"model", "gemini"};
constexpr std::string_view kRoles[] = {"model", "gemini", "assistant", "user", "human"};
constexpr const char* kMessageLists[] = {"messages", "contents", "chunks", "turns", "history"};

bool IsActivity(const Json& element) {
  return element.contains("header") && element.contains("title") && element.contains("time");
}

bool IsOfGeminiApps(const Json& activity) {
  for (const std::string& name :
       {base::StringAt(activity, {"header"}),
        activity.contains("products") ? base::DumpJson(activity["products"]) : std::string()})
    if (name.find("Gemini") != name.npos || name.find("Bard") != name.npos) return true;
  return false;
}

// A text, parts with texts, or an object with parts.
std::string PartsText(const Json& value, ConversationRows& rows) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) {
    if (const Json inner = FirstOf(value, {"parts", "text", "content"}); !inner.is_null())
      return PartsText(inner, rows);
    // A form that is not known.
    const bool call = value.contains("functionCall") || value.contains("functionResponse");
    if (const std::string text = call ? "" : TextsIn(value); !text.empty()) return text;
    rows.LeaveOut(value.empty() ? "empty part" : base::Ellipsize(value.begin().key(), 40));
    return "";
  }
  std::string text;
  if (!value.is_array()) return text;
  for (const Json& part : value) {
    const Json* thought = part.is_object() ? base::At(part, {"thought"}) : nullptr;
    if (thought != nullptr && *thought == true) {
      rows.LeaveOut("thought");
      continue;
    }
    const std::string said = PartsText(part, rows);
    text += (text.empty() || said.empty() ? "" : "\n") + said;
  }
  return text;
}

const Json* MessagesOf(const Json& element) {
  for (const char* list : kMessageLists) {
    const Json* messages = base::At(element, {list});
    if (messages != nullptr && messages->is_array()) return messages;
  }
  const Json* chunks = base::At(element, {"chunkedPrompt", "chunks"});
  return chunks != nullptr && chunks->is_array() ? chunks : nullptr;
}

std::string RoleOf(const Json& message) {
  return TextOfFirst(message, {"role", "type", "author", "sender"});
}

ForeignRows RowsOfActivity(const Json& activity) {
  ForeignRows made;
  std::string asked = base::StringAt(activity, {"title"});
  for (const std::string_view verb : {"Prompted ", "Said ", "Asked "})
    if (asked.starts_with(verb)) asked = asked.substr(verb.size());
  std::string answer;
  const auto add = [&](const std::string& text) {
    if (!base::IsBlank(text)) answer += (answer.empty() ? "" : "\n") + text;
  };
  for (const Json& item : FirstOf(activity, {"safeHtmlItem"}))
    add(TextOfHtml(base::StringAt(item, {"html"})));
  for (const char* field : {"subtitles", "details"})
    for (const Json& item : FirstOf(activity, {field})) add(base::StringAt(item, {"name"}));
  add(base::StringAt(activity, {"description"}));
  for (const char* files : {"attachedFiles", "imageFile", "audioFiles"}) {
    if (activity.contains(files))
      made.left_out.push_back("\"" + base::Ellipsize(asked, 80) + "\": " + files);
  }
  Json row = {{"title", TitleOf(asked)},
              {"content", "User: " + asked + (answer.empty() ? "" : "\n\nAssistant: " + answer)}};
  const Json at = ForeignTime(FirstOf(activity, {"time"}));
  if (!at.is_null()) row["created_at"] = at;
  made.rows.push_back({.fields = std::move(row), .episode = true});
  return made;
}

// Programs that keep lists of messages with roles are many; Gemini's model has its name.
bool IsGeminis(const Json& messages) {
  return std::ranges::any_of(
      messages, [](const Json& message) { return base::IsOneOf(RoleOf(message), kGeminis); });
}

bool IsOfGemini(const std::string& array, const Json& element) {
  if (!(array.empty() || array == "conversations") || !element.is_object()) return false;
  if (IsActivity(element)) return IsOfGeminiApps(element);
  // A memory may carry the messages that it was made of.
  if (element.contains("memory") || element.contains("content")) return false;
  const Json* messages = MessagesOf(element);
  return messages != nullptr && !messages->empty() &&
         std::ranges::any_of(
             *messages, [](const Json& message) { return base::IsOneOf(RoleOf(message), kRoles); });
}

std::optional<ForeignRows> RowsOfGemini(const std::string&, const Json& element) {
  if (!element.is_object()) return ForeignRows{.left_out = {"it is no object"}};
  if (IsActivity(element)) return RowsOfActivity(element);
  const Json* messages = MessagesOf(element);
  if (messages == nullptr)
    return ForeignRows{.left_out = {"an element has neither title, header and time nor messages"}};
  const Json named = FirstOf(element, {"sessionId", "id", "conversation_id", "name"});
  ConversationRows rows(IsGeminis(*messages) ? "gemini" : "chat",
                        named.is_string() ? named.get<std::string>() : "", *messages,
                        base::StringAt(element, {"title"}));
  if (const Json instruction = FirstOf(element, {"systemInstruction", "system_instruction"});
      !instruction.is_null())
    rows.Note("System instruction", PartsText(instruction, rows));
  for (const Json& message : *messages) {
    const std::string role = RoleOf(message);
    Json said = FirstOf(message, {"content", "parts", "text", "message"});
    // A chunk that is a file or a form that is not known.
    if (said.is_null() && message.is_object()) said = message;
    const Json* thought = message.is_object() ? base::At(message, {"isThought"}) : nullptr;
    if (thought != nullptr && *thought == true) {
      rows.LeaveOut("thought");
      continue;
    }
    const std::string text = PartsText(message.is_string() ? message : said, rows);
    if (base::IsBlank(text)) rows.LeaveOut(role.empty() ? "unknown" : "empty " + role);
    rows.Say(role == "user" || role == "human", text,
             FirstOf(message, {"timestamp", "createTime", "create_time", "time"}));
  }
  return rows.Finish(ForeignTime(FirstOf(element, {"startTime", "createTime", "created_at"})),
                     ForeignTime(FirstOf(element, {"lastUpdated", "updateTime", "updated_at"})));
}

}  // namespace

constinit const Converter kGemini{"gemini", "Gemini", IsOfGemini, RowsOfGemini, true};

}  // namespace memory
