// Finds the causes that an answer states: "The root cause is that nobody awaits it." Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sidecar {

inline constexpr size_t kMostCauses = 5, kCauseCharacters = 300;  // of an answer; of each

// The sentences that name a cause or a reason, English and German, in order; questions, guesses and
// code have none. Reads the first 8 KiB.
std::vector<std::string> CausesIn(std::string_view answer);

}  // namespace sidecar
