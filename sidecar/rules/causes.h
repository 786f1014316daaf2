// Finds the causes that an answer states: "The root cause is that nobody awaits it." Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sidecar {

inline constexpr size_t kMostCauses = 5, kCauseCharacters = 300;  // of an answer; of each

// "Why does it fail?", English and German. Reads the first 8 KiB.
bool AsksForCause(std::string_view request);

// The sentences that name a cause or a reason, English and German, in order; questions, guesses and
// code have none. Where the request asked for a cause (`was_asked`) and no sentence names one, the
// first sentence is it. Reads the first 8 KiB.
std::vector<std::string> CausesIn(std::string_view answer, bool was_asked = false);

}  // namespace sidecar
