// Conversations of ChatGPT's export: a tree of messages, of which one branch is the present one.
#include <algorithm>
#include <set>

#include "lib/base/text/text.h"
#include "memory/transfer/formats/conversation_rows.h"

namespace memory {

using base::Json;

namespace {

// The parts' texts; without parts the texts of the content, whatever its form.
std::string TextOf(const Json& message, ConversationRows& rows) {
  const Json* content = base::At(message, {"content"});
  if (content == nullptr || content->is_null()) return "";
  const Json* parts = content->is_object() ? base::At(*content, {"parts"}) : nullptr;
  std::string text;
  for (const Json& part :
       parts != nullptr && parts->is_array() ? *parts : Json::array({*content})) {
    const std::string one = TextsIn(part);
    text += (text.empty() || one.empty() ? "" : "\n") + one;
    if (one.empty() && part.is_object())
      rows.LeaveOut(base::Ellipsize(base::StringAt(part, {"content_type"}, "unknown"), 40));
  }
  return text;
}

// What a call of a tool writes for the person: a canvas' text.
std::string CanvasIn(const std::string& text) {
  const auto call = base::ParseJson(text);
  if (!call || !call->is_object()) return text;
  std::string canvas = base::StringAt(*call, {"content"});
  if (canvas.empty()) canvas = TextsIn(*call);
  return canvas;
}

void NameFiles(const Json& message, ConversationRows& rows) {
  const Json* files = base::At(message, {"metadata", "attachments"});
  if (files == nullptr || !files->is_array()) return;
  for (const Json& file : *files)
    rows.LeaveOut("file " + base::Ellipsize(base::StringAt(file, {"name"}), 80));
}

void TakeMessage(const Json& entry, ConversationRows& rows) {
  const Json* given = base::At(entry, {"message"});
  if (given == nullptr || given->is_null()) return;
  if (given->is_string()) return rows.Say(false, given->get<std::string>(), Json());
  if (!given->is_object()) return rows.LeaveOut("message of unknown form");
  const Json& message = *given;
  const std::string role = base::StringAt(message, {"author", "role"});
  const std::string to = base::StringAt(message, {"recipient"}, "all");
  const std::string form = base::StringAt(message, {"content", "content_type"});
  const Json* hidden = base::At(message, {"metadata", "is_visually_hidden_from_conversation"});
  NameFiles(message, rows);
  // Its own words about the person, and a person's about themselves.
  if (to == "bio") return rows.Note("Saved memory", TextOf(message, rows));
  if (form == "user_editable_context" || form == "model_editable_context")
    return rows.Note("Custom instructions", TextOf(message, rows));
  const std::string text = TextOf(message, rows);
  const Json time = message.contains("create_time") ? message["create_time"] : Json();
  if (to.starts_with("canmore.") && role == "assistant")
    return rows.Say(false, "Canvas:\n" + CanvasIn(text), time);
  const bool said = role != "tool" && role != "system";
  if (said && to == "all" && (hidden == nullptr || *hidden != true) && form != "thoughts")
    return rows.Say(role == "user", text, time);
  if (base::IsBlank(text)) return;
  rows.LeaveOut(form == "thoughts"    ? "thoughts"
                : said && to == "all" ? "hidden message"
                                      : "message of " + base::Ellipsize(role + " to " + to, 60));
}

std::vector<std::string> ChildrenOf(const Json& mapping, const std::string& node) {
  std::vector<std::string> children;
  const Json* given = base::At(mapping, {node.c_str(), "children"});
  if (given == nullptr || !given->is_array()) return children;
  for (const Json& child : *given)
    if (child.is_string() && mapping.contains(child.get_ref<const std::string&>()))
      children.push_back(child.get<std::string>());
  return children;
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
    const auto children = ChildrenOf(mapping, node);
    if (children.empty()) break;
    node = children.back();
  }
  return node;
}

std::vector<std::string> BranchOf(const Json& conversation, const Json& mapping) {
  std::vector<std::string> branch;
  std::set<std::string> seen;
  for (std::string node = LeafOf(conversation, mapping);
       mapping.contains(node) && seen.insert(node).second;
       node = base::StringAt(mapping[node], {"parent"}))
    branch.push_back(node);
  std::reverse(branch.begin(), branch.end());
  return branch;
}

// Every message that is not on the present branch, from its fork to its end.
void TakeOtherBranches(const Json& mapping, std::set<std::string> taken, ConversationRows& rows) {
  std::vector<std::string> forks;
  for (const auto& [id, entry] : mapping.items()) {
    const std::string parent = base::StringAt(entry, {"parent"});
    if (!taken.contains(id) && (taken.contains(parent) || !mapping.contains(parent)))
      forks.push_back(id);
  }
  const auto walk = [&] {
    while (!forks.empty()) {
      std::string node = forks.back();
      forks.pop_back();
      rows.BeginOtherBranch();
      while (!node.empty() && taken.insert(node).second) {
        TakeMessage(mapping[node], rows);
        auto children = ChildrenOf(mapping, node);
        node = children.empty() ? "" : children.front();
        forks.insert(forks.end(), children.begin() + (children.empty() ? 0 : 1), children.end());
      }
    }
  };
  walk();
  // Parents that do not name their children, or circles.
  for (const auto& item : mapping.items()) {
    if (taken.contains(item.key())) continue;
    forks.push_back(item.key());
    walk();
  }
}

bool IsOfChatGpt(const std::string& array, const Json& element) {
  return (array.empty() || array == "conversations") && element.is_object() &&
         element.contains("mapping");
}

std::optional<ForeignRows> RowsOfChatGpt(const std::string&, const Json& conversation) {
  const Json* mapping = conversation.is_object() ? base::At(conversation, {"mapping"}) : nullptr;
  if (mapping == nullptr || !mapping->is_object())
    return ForeignRows{.left_out = {"a conversation must be an object with its mapping"}};
  ConversationRows rows("chatgpt", TextOfFirst(conversation, {"conversation_id", "id"}), *mapping,
                        base::StringAt(conversation, {"title"}));
  const std::vector<std::string> branch = BranchOf(conversation, *mapping);
  for (const std::string& node : branch) TakeMessage((*mapping)[node], rows);
  TakeOtherBranches(*mapping, {branch.begin(), branch.end()}, rows);
  return rows.Finish(ForeignTime(FirstOf(conversation, {"create_time"})),
                     ForeignTime(FirstOf(conversation, {"update_time"})));
}

}  // namespace

constinit const Converter kChatGpt{"chatgpt", "ChatGPT (conversations.json)", IsOfChatGpt,
                                   RowsOfChatGpt, true};

}  // namespace memory
