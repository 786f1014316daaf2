// Finds the memory that a prompt asks for: "Remember: I prefer tabs". Pure.
#pragma once

#include <optional>
#include <string_view>

#include "sidecar/rules/capture.h"

namespace sidecar {

inline constexpr const char* kRememberRule = "remember";
inline constexpr size_t kMostRemembered = 2'000;  // characters

// The text behind "remember:", "remember that", "don't forget:" or "don't forget that" at the
// beginning of a prompt, "please" before it allowed, up to the first empty line. nullopt: no such
// beginning, or a question. Text further down may be pasted and does not count.
std::optional<std::string_view> AskedToRemember(std::string_view prompt);

// The memory of class user; its topic key makes the same words the same memory.
Capture Remembered(std::string_view words);

}  // namespace sidecar
