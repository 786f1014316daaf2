// The answer is untrusted: one invalid element makes all of it unusable.
#include "memory/endpoint/chat/chat_bodies.h"

#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

constexpr int64_t kTokensAround = 100;  // roles and message delimiters
constexpr int64_t kNoTokenCount = int64_t{1} << 40;

Result<std::string> TextOfChoice(const Json& choice) {
  if (base::StringAt(choice, {"finish_reason"}) == "length")
    return UnusableAnswer("it was cut off at its limit of " + std::to_string(kMostChatTokens) +
                          " tokens");
  const Json* text = base::At(choice, {"message", "content"});
  if (!text->is_string()) return UnusableAnswer("the model gave no text");
  return text->get<std::string>();
}

}  // namespace

Error UnusableAnswer(const std::string& why) {
  return {Code::kInvalid, "the answer of the extraction endpoint is unusable: " + why};
}

std::string EncodeChatRequest(const std::string& model, std::string_view prompt, const Json& data) {
  return base::DumpJson(
      {{"model", model},
       {"messages", Json::array({{{"role", "system"}, {"content", prompt}},
                                 {{"role", "user"}, {"content", base::DumpJson(data)}}})},
       {"max_tokens", kMostChatTokens},
       {"temperature", 0},
       {"response_format", {{"type", "json_object"}}}});
}

int64_t MostTokensOf(const std::string& request) {
  return static_cast<int64_t>(request.size()) + kMostChatTokens + kTokensAround;
}

Result<ChatAnswer> DecodeChatAnswer(std::string_view body) {
  const auto answer = base::ParseJson(body);
  if (!answer || !answer->is_object()) return UnusableAnswer("it is no JSON object");
  const Json* choices = base::At(*answer, {"choices"});
  if (!choices || !choices->is_array() || choices->empty() ||
      !base::At((*choices)[0], {"message", "content"}))
    return UnusableAnswer("it has no choices[0].message.content");
  ChatAnswer read;
  const Json* tokens = base::At(*answer, {"usage", "total_tokens"});
  if (tokens && tokens->is_number_integer() && *tokens > 0 && *tokens < kNoTokenCount)
    read.tokens = tokens->get<int64_t>();
  read.text = TextOfChoice((*choices)[0]);
  return read;
}

Result<std::vector<Json>> ListIn(const std::string& text, const char* name, size_t most) {
  const auto answer = base::ParseJson(text, {5, 64});
  if (!answer) return UnusableAnswer("its text is no JSON");
  const Json* list = answer->is_object() ? base::At(*answer, {name}) : nullptr;
  if (!list || !list->is_array())
    return UnusableAnswer("there is no list \"" + std::string(name) + "\"");
  if (list->size() > most)
    return UnusableAnswer("it has " + std::to_string(list->size()) + " " + name +
                          ", the limit is " + std::to_string(most));
  for (const Json& element : *list)
    if (!element.is_object())
      return UnusableAnswer("an element of \"" + std::string(name) + "\" is no object");
  return list->get<std::vector<Json>>();
}

Result<std::string> ContentIn(const Json& element, size_t most) {
  const auto given = element.find("content");
  if (given == element.end() || !given->is_string()) return UnusableAnswer("content is no text");
  const auto& content = given->get_ref<const std::string&>();
  const size_t characters = base::CountCharacters(content);
  if (base::IsBlank(content) || characters > most)
    return UnusableAnswer("content has " + std::to_string(characters) + " characters, want 1 to " +
                          std::to_string(most));
  for (const char c : content)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
      return UnusableAnswer("content has a control character");
  return std::string(base::Trim(content));
}

Result<double> ImportanceIn(const Json& element) {
  const auto given = element.find("importance");
  if (given == element.end() || !given->is_number() || *given < 0 || *given > 1)
    return UnusableAnswer("importance is no number from 0 to 1");
  return given->get<double>();
}

}  // namespace memory
