// Extracts the facts that a turn of a conversation states, without a model (B3, B8); deterministic.
// select.h decides which of them are stored. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "memory/extract/grammar/fact.h"

namespace memory {

inline constexpr size_t kMaxCandidates = 32;  // of a turn

// The candidates in the order of the text, the user's first. Reads the first 64 KiB (kMaxProse) of
// each side, in linear time; any bytes are valid. English facts are in the third person ("User
// prefers tabs."); others are their sentence. Relative times ("yesterday") are unchanged: the
// caller knows the time of the turn.
std::vector<FactCandidate> ExtractFacts(std::string_view user, std::string_view assistant);

}  // namespace memory
