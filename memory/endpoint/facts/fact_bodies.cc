// One fact out of bounds makes the whole answer unusable.
#include "memory/endpoint/facts/fact_bodies.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/json.h"
#include "lib/base/text/text.h"
#include "memory/endpoint/facts/fact_prompt.h"
#include "memory/extract/extract.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

constexpr int64_t kTokensAround = 100;  // roles, and what marks the messages
constexpr int64_t kNoTokenCount = int64_t{1} << 40;

Error UnusableAnswer(const std::string& why) {
  return {Code::kInvalid, "the answer of the extraction endpoint is unusable: " + why};
}

Result<FactCategory> CategoryOf(const Json& fact) {
  const auto given = fact.find("category");
  for (size_t i = 0; i < kFactCategories; ++i) {
    const auto category = static_cast<FactCategory>(i);
    if (given != fact.end() && *given == NameOf(category)) return category;
  }
  return UnusableAnswer("category is none of the five categories");
}

Result<std::string> ContentOf(const Json& fact) {
  const auto given = fact.find("content");
  if (given == fact.end() || !given->is_string()) return UnusableAnswer("content is no text");
  const auto& content = given->get_ref<const std::string&>();
  const size_t characters = base::CountCharacters(content);
  if (base::IsBlank(content) || characters > kMaxFactCharacters)
    return UnusableAnswer("content has " + std::to_string(characters) + " characters, want 1 to " +
                          std::to_string(kMaxFactCharacters));
  for (const char c : content)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
      return UnusableAnswer("content has a control character");
  return std::string(base::Trim(content));
}

Result<FactCandidate> FactOf(const Json& fact, Speaker said_by) {
  if (!fact.is_object()) return UnusableAnswer("a fact is no object");
  FactCandidate read;
  read.said_by = said_by;
  ASSIGN_OR_RETURN(read.category, CategoryOf(fact));
  ASSIGN_OR_RETURN(read.content, ContentOf(fact));
  const auto importance = fact.find("importance");
  if (importance == fact.end() || !importance->is_number() || *importance < 0 || *importance > 1)
    return UnusableAnswer("importance is no number from 0 to 1");
  read.importance = importance->get<double>();
  return read;
}

Result<std::vector<FactCandidate>> FactsIn(const std::string& text, Speaker said_by) {
  const auto answer = base::ParseJson(text, {4, 64});
  if (!answer) return UnusableAnswer("its text is no JSON");
  const Json* facts = answer->is_object() ? base::At(*answer, {"facts"}) : nullptr;
  if (!facts || !facts->is_array()) return UnusableAnswer("there is no list \"facts\"");
  if (facts->size() > kMaxCandidates)
    return UnusableAnswer("it has " + std::to_string(facts->size()) + " facts, the limit is " +
                          std::to_string(kMaxCandidates));
  std::vector<FactCandidate> read;
  for (const Json& fact : *facts) {
    ASSIGN_OR_RETURN(FactCandidate one, FactOf(fact, said_by));
    read.push_back(std::move(one));
  }
  return read;
}

Result<std::vector<FactCandidate>> FactsOfChoice(const Json& choice, Speaker said_by) {
  if (base::StringAt(choice, {"finish_reason"}) == "length")
    return UnusableAnswer("it was cut off at its limit of " + std::to_string(kMostFactTokens) +
                          " tokens");
  const Json* text = base::At(choice, {"message", "content"});
  if (!text->is_string()) return UnusableAnswer("the model gave no text");
  return FactsIn(text->get_ref<const std::string&>(), said_by);
}

}  // namespace

std::string EncodeFactRequest(const std::string& model, std::string_view user,
                              std::string_view assistant) {
  const auto beginning = [](std::string_view text) {
    return text.substr(0, base::BorderBefore(text, std::min(text.size(), kMostAskedOfSide)));
  };
  const Json turn = {{"user", beginning(user)}, {"assistant", beginning(assistant)}};
  const Json prompt = {{"role", "system"}, {"content", kFactPrompt}};
  const Json data = {{"role", "user"}, {"content", base::DumpJson(turn)}};
  return base::DumpJson({{"model", model},
                         {"messages", Json::array({prompt, data})},
                         {"max_tokens", kMostFactTokens},
                         {"temperature", 0},
                         {"response_format", {{"type", "json_object"}}}});
}

int64_t MostTokensOf(const std::string& request) {
  return static_cast<int64_t>(request.size()) + kMostFactTokens + kTokensAround;
}

Result<FactAnswer> DecodeFactAnswer(std::string_view body, Speaker said_by) {
  const auto answer = base::ParseJson(body);
  if (!answer || !answer->is_object()) return UnusableAnswer("it is no JSON object");
  const Json* choices = base::At(*answer, {"choices"});
  if (!choices || !choices->is_array() || choices->empty() ||
      !base::At((*choices)[0], {"message", "content"}))
    return UnusableAnswer("it has no choices[0].message.content");
  FactAnswer read;
  const Json* tokens = base::At(*answer, {"usage", "total_tokens"});
  if (tokens && tokens->is_number_integer() && *tokens > 0 && *tokens < kNoTokenCount)
    read.tokens = tokens->get<int64_t>();
  read.facts = FactsOfChoice((*choices)[0], said_by);
  return read;
}

}  // namespace memory
