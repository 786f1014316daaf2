// The request to a chat model for the facts of a turn, and its answer. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "memory/extract/grammar/fact.h"

namespace memory {

inline constexpr size_t kMaxPromptBytesOfSide = 8 << 10;  // bytes; the rest is cut

std::string EncodeFactRequest(const std::string& model, std::string_view user,
                              std::string_view assistant);

// kInvalid: the answer does not have the requested form. Errors quote nothing of the answer, which
// may repeat the turn. `said_by`: the speaker of all facts; the model does not decide it, since a
// text could make it lie.
base::Result<std::vector<FactCandidate>> DecodeFacts(const std::string& text, Speaker said_by);

}  // namespace memory
