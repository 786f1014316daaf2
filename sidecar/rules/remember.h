// Finds the memory that a prompt asks for: "Remember: I prefer tabs". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sidecar/rules/capture.h"

namespace sidecar {

inline constexpr const char* kRememberRule = "remember";
inline constexpr size_t kMostRemembered = 2'000;  // characters

// The text after "remember:", "remember that", "don't forget:" or "don't forget that" at the
// beginning of a prompt (or after "please"), up to the first empty line. nullopt: no such
// beginning, or a question. Later text may be pasted and does not count.
std::optional<std::string> AskedToRemember(std::string_view prompt);

// A memory of trust class user; its topic key deduplicates the same words.
Capture Remembered(std::string_view words);

}  // namespace sidecar
