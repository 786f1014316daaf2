// Encodes requests to a chat endpoint (POST /v1/chat/completions) and validates its untrusted
// answers. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace memory {

inline constexpr int64_t kMostChatTokens = 1200;      // of an answer
inline constexpr size_t kMostChatAnswer = 256 << 10;  // bytes of a body

// `data` follows the prompt in a message of its own. Requests a JSON object.
std::string EncodeChatRequest(const std::string& model, std::string_view prompt,
                              const base::Json& data);

// The maximum tokens of a request with this body: a token has at least one byte.
int64_t MostTokensOf(const std::string& request);

struct ChatAnswer {
  int64_t tokens = 0;  // reported by the endpoint; 0: unknown
  // The text of the model; kInvalid: none, or a truncated one.
  base::Result<std::string> text = std::string();
};

// kInvalid: no answer of a chat endpoint. Errors quote nothing of the answer, which may repeat the
// request.
base::Result<ChatAnswer> DecodeChatAnswer(std::string_view body);

base::Error UnusableAnswer(const std::string& why);
// Parses a model's text as an object and returns its list `name`. kInvalid: missing, or too long.
base::Result<std::vector<base::Json>> ListIn(const std::string& text, const char* name,
                                             size_t most);
// The text `content` of an element, trimmed. kInvalid: not 1 to `most` characters without controls.
base::Result<std::string> ContentIn(const base::Json& element, size_t most);
// The number `importance` of an element, 0…1; else kInvalid.
base::Result<double> ImportanceIn(const base::Json& element);

}  // namespace memory
