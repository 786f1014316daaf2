// The request to a chat model for insights of traces, and its answer. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "memory/derive/deriver.h"

namespace memory {

inline constexpr size_t kMostShownOfTrace = 1 << 10;  // bytes; the rest is cut
inline constexpr size_t kMaxInsightCharacters = 500;

// The texts are numbered from 1.
std::string EncodeInsightRequest(const std::string& model, const std::vector<std::string>& texts);

// `texts`: their number in the request. kInvalid: the answer does not have the requested form.
// Errors quote nothing of the answer.
base::Result<std::vector<Insight>> DecodeInsights(const std::string& text, size_t texts);

}  // namespace memory
