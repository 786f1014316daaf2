// What a chat endpoint (POST /v1/chat/completions) is asked, and what it answers. Nothing of an
// answer is trusted. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace memory {

inline constexpr int64_t kMostChatTokens = 1200;      // that the model may answer with
inline constexpr size_t kMostChatAnswer = 256 << 10;  // bytes of a body

// `data` goes behind the prompt, in a message of its own. An object of JSON is asked for.
std::string EncodeChatRequest(const std::string& model, std::string_view prompt,
                              const base::Json& data);

// Tokens that a request with this body costs at most: no token of a text is less than a byte.
int64_t MostTokensOf(const std::string& request);

struct ChatAnswer {
  int64_t tokens = 0;  // as the endpoint counts them; 0: it does not say
  // What the model says; kInvalid: it did not answer as it was asked.
  base::Result<std::string> text = std::string();
};

// kInvalid: no answer of a chat endpoint. Errors hold nothing of the answer: it may repeat what was
// sent.
base::Result<ChatAnswer> DecodeChatAnswer(std::string_view body);

base::Error UnusableAnswer(const std::string& why);
// The list `name` of the object that a model's text is. kInvalid: there is none, or it is longer.
base::Result<std::vector<base::Json>> ListIn(const std::string& text, const char* name,
                                             size_t most);
// The text `content` of an element, trimmed: 1 to `most` characters without controls.
base::Result<std::string> ContentIn(const base::Json& element, size_t most);
// Its number `importance`, 0…1.
base::Result<double> ImportanceIn(const base::Json& element);

}  // namespace memory
