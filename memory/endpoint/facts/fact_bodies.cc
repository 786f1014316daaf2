// The answer is untrusted: one invalid fact makes all of it unusable.
#include "memory/endpoint/facts/fact_bodies.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"
#include "memory/endpoint/chat/chat_bodies.h"
#include "memory/endpoint/facts/fact_prompt.h"
#include "memory/extract/extract.h"

namespace memory {

using base::Json;
using base::Result;

namespace {

Result<FactCategory> CategoryOf(const Json& fact) {
  const auto given = fact.find("category");
  for (size_t i = 0; i < kFactCategories; ++i) {
    const auto category = static_cast<FactCategory>(i);
    if (given != fact.end() && *given == NameOf(category)) return category;
  }
  return UnusableAnswer("category is none of the five categories");
}

}  // namespace

std::string EncodeFactRequest(const std::string& model, std::string_view user,
                              std::string_view assistant) {
  const auto beginning = [](std::string_view text) {
    return text.substr(0, base::BorderBefore(text, std::min(text.size(), kMaxPromptBytesOfSide)));
  };
  return EncodeChatRequest(model, kFactPrompt,
                           {{"user", beginning(user)}, {"assistant", beginning(assistant)}});
}

Result<std::vector<FactCandidate>> DecodeFacts(const std::string& text, Speaker said_by) {
  ASSIGN_OR_RETURN(const auto facts, ListIn(text, "facts", kMaxCandidates));
  std::vector<FactCandidate> read;
  for (const Json& fact : facts) {
    FactCandidate one;
    one.said_by = said_by;
    ASSIGN_OR_RETURN(one.category, CategoryOf(fact));
    ASSIGN_OR_RETURN(one.content, ContentIn(fact, kMaxFactCharacters));
    ASSIGN_OR_RETURN(one.importance, ImportanceIn(fact));
    read.push_back(std::move(one));
  }
  return read;
}

}  // namespace memory
