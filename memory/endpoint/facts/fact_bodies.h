// What a chat endpoint (POST /v1/chat/completions) is asked for the facts of a turn, and what it
// answers. Nothing of an answer is trusted. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "memory/extract/grammar/fact.h"

namespace memory {

inline constexpr size_t kMostAskedOfSide = 8 << 10;   // bytes, the beginning counts
inline constexpr int64_t kMostFactTokens = 1200;      // that the model may answer with
inline constexpr size_t kMostFactAnswer = 256 << 10;  // bytes of a body

std::string EncodeFactRequest(const std::string& model, std::string_view user,
                              std::string_view assistant);

// Tokens that a request with this body costs at most: no token of a text is less than a byte.
int64_t MostTokensOf(const std::string& request);

struct FactAnswer {
  int64_t tokens = 0;  // as the endpoint counts them; 0: it does not say
  // kInvalid: the model did not answer as it was asked.
  base::Result<std::vector<FactCandidate>> facts = std::vector<FactCandidate>();
};

// kInvalid: no answer of a chat endpoint. Errors hold nothing of the answer: it may repeat the
// turn. `said_by`: of each fact; the model is not asked who said what, since a text could make it
// say so.
base::Result<FactAnswer> DecodeFactAnswer(std::string_view body, Speaker said_by);

}  // namespace memory
