// Extracts the facts that a turn of a conversation states, without a model (B3, B8); deterministic.
// select.h decides which of them are stored. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "memory/extract/grammar/fact.h"

namespace memory {

inline constexpr size_t kMaxCandidates = 32;  // of a turn

// The candidates in the order of the text, the user's first. Reads the first 64 KiB of each side
// (kMaxProse), any bytes; time is linear in them. Facts in English are told in the third person
// ("User prefers tabs."), others keep their sentence. A relative time ("yesterday") stays as it is:
// the caller knows when the turn was.
std::vector<FactCandidate> ExtractFacts(std::string_view user, std::string_view assistant);

}  // namespace memory
