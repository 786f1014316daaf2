// What a chat model is asked for insights of traces, and what it answers. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "memory/derive/deriver.h"

namespace memory {

inline constexpr size_t kMostShownOfTrace = 1 << 10;  // bytes, the beginning counts
inline constexpr size_t kMaxInsightCharacters = 500;

// The texts are numbered from 1.
std::string EncodeInsightRequest(const std::string& model, const std::vector<std::string>& texts);

// `texts`: how many were shown. kInvalid: the model did not answer as it was asked. Errors hold
// nothing of the answer.
base::Result<std::vector<Insight>> DecodeInsights(const std::string& text, size_t texts);

}  // namespace memory
