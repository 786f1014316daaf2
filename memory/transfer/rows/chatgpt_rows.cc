// Conversations of ChatGPT's export: a tree of messages, of which one branch is the present one.
#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

struct Message {
  std::string role, text;
  Json time;
};

// Texts of a part of unknown form, wherever they stand; pointers to files and other names are none.
void AddTexts(const Json& part, std::string& text, int depth) {
  constexpr int kDeepest = 8;
  constexpr const char* kTexts[] = {"text",     "result", "content", "summary",
                                    "thoughts", "parts",  "output",  "caption"};
  if (part.is_string()) {
    const std::string& one = part.get_ref<const std::string&>();
    if (!base::IsBlank(one)) text += (text.empty() ? "" : "\n") + one;
  } else if (part.is_array() && depth < kDeepest) {
    for (const Json& inner : part) AddTexts(inner, text, depth + 1);
  } else if (part.is_object() && depth < kDeepest) {
    for (const char* name : kTexts)
      if (part.contains(name)) AddTexts(part[name], text, depth + 1);
  }
}

// What a person wrote or read; "" for calls of tools and hidden texts. `textless`: counts parts
// without a text.
std::string TextOf(const Json& message, size_t& textless) {
  if (base::StringAt(message, {"recipient"}, "all") != "all") return "";
  const Json* hidden = base::At(message, {"metadata", "is_visually_hidden_from_conversation"});
  if (hidden != nullptr && *hidden == true) return "";
  std::string text;
  if (!message.contains("content")) return text;
  const Json& content = message["content"];
  const Json* parts = base::At(content, {"parts"});
  if (parts == nullptr || !parts->is_array()) {
    AddTexts(content, text, 0);
    return text;
  }
  for (const Json& part : *parts) {
    const size_t before = text.size();
    AddTexts(part, text, 0);
    textless += text.size() == before && part.is_structured() ? 1 : 0;
  }
  return text;
}

// The last message of the branch that is shown: the one that is named, else the last child of the
// last child …
std::string LeafOf(const Json& conversation, const Json& mapping) {
  std::string node = base::StringAt(conversation, {"current_node"});
  if (mapping.contains(node)) return node;
  node.clear();
  for (const auto& [id, entry] : mapping.items()) {
    if (base::StringAt(entry, {"parent"}).empty()) node = id;
  }
  for (size_t steps = 0; steps < mapping.size(); ++steps) {
    const Json* children = base::At(mapping, {node.c_str(), "children"});
    if (children == nullptr || !children->is_array() || children->empty()) break;
    const Json& last = children->back();
    if (!last.is_string() || !mapping.contains(last.get_ref<const std::string&>())) break;
    node = last.get<std::string>();
  }
  return node;
}

std::vector<Message> BranchOf(const Json& conversation, const Json& mapping, size_t& textless) {
  std::vector<Message> branch;
  std::string node = LeafOf(conversation, mapping);
  for (size_t steps = 0; steps < mapping.size() && mapping.contains(node); ++steps) {
    const Json& entry = mapping[node];
    if (const Json* message = base::At(entry, {"message"}); message && message->is_object()) {
      Message made{base::StringAt(*message, {"author", "role"}), TextOf(*message, textless),
                   nullptr};
      if (message->contains("create_time")) made.time = (*message)["create_time"];
      const bool counts = made.role == "user" || made.role == "assistant";
      if (counts && !made.text.empty()) branch.push_back(std::move(made));
    }
    node = base::StringAt(entry, {"parent"});
  }
  std::reverse(branch.begin(), branch.end());
  return branch;
}

}  // namespace

Result<ForeignConversation> ConversationOfChatGpt(const Json& conversation,
                                                  const ForeignDefaults& defaults) {
  const Json* mapping = conversation.is_object() ? base::At(conversation, {"mapping"}) : nullptr;
  if (mapping == nullptr || !mapping->is_object())
    return Error{Code::kInvalid, "a conversation must be an object with its mapping"};
  const std::string title = base::StringAt(conversation, {"title"});
  std::string id = base::StringAt(conversation, {"conversation_id"});
  if (id.empty()) id = base::StringAt(conversation, {"id"});
  if (id.empty()) id = base::Sha256Hex(base::DumpJson(*mapping)).substr(0, 32);
  auto time_of = [&](const char* field) {
    return conversation.contains(field) ? ForeignTime(conversation[field]) : Json();
  };
  ForeignConversation made;
  api::SummaryBuilder summary;
  const std::string session = base::Ellipsize("chatgpt-" + id, api::kMaxSessionId);
  for (const Message& message : BranchOf(conversation, *mapping, made.textless)) {
    summary.Add(message.role, message.text);
    const bool question = message.role == "user";
    const bool pair_open = !made.rows.empty() && !question;
    if (!pair_open) {
      Json time = ForeignTime(message.time);
      made.rows.push_back({{"session_id", session},
                           {"type", "episodic"},
                           {"title", TitleOf(message.text)},
                           {"created_at", time.is_null() ? time_of("create_time") : time}});
      if (!base::IsBlank(title)) made.rows.back()["tags"] = {base::Ellipsize(title, api::kMaxTag)};
    }
    Json& row = made.rows.back();
    const std::string before = row.value("content", "");
    row["content"] = before + (before.empty() ? "" : "\n\n") +
                     (question ? "User: " : "Assistant: ") + message.text;
  }
  for (Json& row : made.rows) row = RowOfFields(std::move(row), defaults);
  made.session = {{"id", session},
                  {"project", defaults.project},
                  {"started_at", time_of("create_time")},
                  {"ended_at", time_of("update_time")},
                  {"summary", summary.Text()},
                  {"message_count", summary.counted()}};
  return made;
}

}  // namespace memory
