// What a chat model is asked for the facts of a turn, and what it answers. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "memory/extract/grammar/fact.h"

namespace memory {

inline constexpr size_t kMostAskedOfSide = 8 << 10;  // bytes, the beginning counts

std::string EncodeFactRequest(const std::string& model, std::string_view user,
                              std::string_view assistant);

// kInvalid: the model did not answer as it was asked. Errors hold nothing of the answer: it may
// repeat the turn. `said_by`: of each fact; the model is not asked who said what, since a text
// could make it say so.
base::Result<std::vector<FactCandidate>> DecodeFacts(const std::string& text, Speaker said_by);

}  // namespace memory
