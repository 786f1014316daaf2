// Decodes, encodes and weighs messages in the form that models and runtimes exchange.
#include "lib/conversation/message.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/text/text.h"

namespace conversation {
namespace {

using base::Json;

constexpr int64_t kCharactersPerToken = 3;  // a conservative estimate for prose and code
constexpr const char* kRoles[] = {"user", "assistant", "tool", "system"};

base::Error Invalid(size_t index, const char* what) {
  return {base::Code::kInvalid, "messages[" + std::to_string(index) + "]: " + what};
}

base::Result<Message> DecodeMessage(const Json& json, size_t index) {
  if (!json.is_object()) return Invalid(index, "must be an object");
  Message message;
  auto role = base::RequiredString(json, "role");
  if (!role) return Invalid(index, "role is required and a string");
  message.role = std::move(*role);
  if (std::find(std::begin(kRoles), std::end(kRoles), message.role) == std::end(kRoles)) {
    return Invalid(index, "role must be user, assistant, tool or system");
  }
  auto content = base::OptionalString(json, "content");
  if (!content) return Invalid(index, "content must be a string");
  message.content = std::move(*content).value_or("");
  if (auto calls = json.find("tool_calls"); calls != json.end() && !calls->is_null()) {
    if (!calls->is_array()) return Invalid(index, "tool_calls must be an array");
    message.tool_calls = *calls;
  }
  auto call_id = base::OptionalString(json, "tool_call_id");
  if (!call_id) return Invalid(index, "tool_call_id must be a string");
  message.tool_call_id = std::move(*call_id).value_or("");
  if (auto failed = json.find("is_error"); failed != json.end() && !failed->is_null()) {
    if (!failed->is_boolean()) return Invalid(index, "is_error must be true or false");
    message.is_error = *failed;
  }
  return message;
}

// Removes the calls without a result in `results`.
void DropCallsWithout(const std::set<std::string>& results, Message& message) {
  if (!message.tool_calls.is_array()) return;
  Json kept = Json::array();
  for (Json& call : message.tool_calls) {
    const auto ids = CallIds(Json::array({call}));
    const bool answered = ids.empty() || results.contains(*ids.begin());
    if (answered) kept.push_back(std::move(call));
  }
  message.tool_calls = kept.empty() ? Json() : std::move(kept);
}

}  // namespace

int64_t Tokens(const Message& message) {
  size_t characters = base::CountCharacters(message.content);
  if (!message.tool_calls.is_null()) {
    characters += base::CountCharacters(base::DumpJson(message.tool_calls));
  }
  return static_cast<int64_t>(characters) / kCharactersPerToken + 1;
}

size_t EncodedBytes(const Message& message) {
  constexpr size_t kNames = 150;  // of the keys, the role and the number
  size_t bytes = kNames + message.tool_call_id.size() + message.content.size();
  for (const std::string* text : {&message.content, &message.tool_call_id}) {
    for (const char c : *text) {
      if (c == '"' || c == '\\') bytes += 1;
      if (static_cast<unsigned char>(c) < ' ') bytes += 5;  // \u00XX
    }
  }
  if (message.tool_calls.is_null()) return bytes;
  return bytes + base::WeightOf(message.tool_calls);
}

base::Result<Json> DecodeCalls(const std::string& text) { return base::ParseStored(text, Json()); }

std::set<std::string> CallIds(const Json& tool_calls) {
  std::set<std::string> ids;
  if (!tool_calls.is_array()) return ids;
  for (const Json& call : tool_calls) {
    if (call.is_object() && call.contains("id") && call["id"].is_string()) ids.insert(call["id"]);
  }
  return ids;
}

std::vector<Message> DropCorrupt(std::vector<Message> messages) {
  const auto unsound = [](const Message& message) { return !message.checksum_ok; };
  const auto first = std::ranges::find_if(messages, unsound);
  if (first == messages.end()) return messages;
  const int64_t first_place = first->sequence;
  const int64_t last_place = std::find_if(messages.rbegin(), messages.rend(), unsound)->sequence;
  std::erase_if(messages, unsound);
  std::set<std::string> calls, results;
  for (const Message& message : messages) {
    calls.merge(CallIds(message.tool_calls));
    if (message.role == "tool") results.insert(message.tool_call_id);
  }
  std::vector<Message> whole;
  for (Message& message : messages) {
    // A call may still wait for its result, and a result may never have had a call. The other half
    // counts as missing only if one of the changed rows may have been it.
    const bool lone = message.role == "tool" && message.sequence > first_place &&
                      !calls.contains(message.tool_call_id);
    const bool called = !message.tool_calls.is_null();
    if (called && message.sequence < last_place) DropCallsWithout(results, message);
    const bool empty = called && message.tool_calls.is_null() && message.content.empty();
    if (!lone && !empty) whole.push_back(std::move(message));
  }
  return whole;
}

base::Result<std::vector<Message>> DecodeMessages(const Json& body) {
  if (!body.is_object() || !body.contains("messages") || !body["messages"].is_array()) {
    return base::Error{base::Code::kInvalid, "the body must be {\"messages\": [...]}"};
  }
  std::vector<Message> messages;
  for (const Json& json : body["messages"]) {
    ASSIGN_OR_RETURN(auto message, DecodeMessage(json, messages.size()));
    messages.push_back(std::move(message));
  }
  return messages;
}

Json EncodeMessage(const Message& message) {
  Json json = {{"role", message.role}, {"content", message.content}};
  if (message.sequence > 0) json["sequence"] = message.sequence;
  if (!message.tool_calls.is_null()) json["tool_calls"] = message.tool_calls;
  if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
  if (message.is_error) json["is_error"] = true;
  return json;
}

}  // namespace conversation
