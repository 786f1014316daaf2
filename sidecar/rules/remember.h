// What a person asks to be remembered in a prompt: "Remember: I prefer tabs". Pure.
#pragma once

#include <optional>
#include <string_view>

#include "sidecar/rules/capture.h"

namespace sidecar {

inline constexpr const char* kRememberRule = "remember";
inline constexpr size_t kMostRemembered = 2'000;  // characters

// What stands behind "remember:", "remember that", "don't forget:" or "don't forget that", with or
// without "please" before it, where the prompt begins so; up to the first empty line. nullopt: it
// asks for nothing, or asks a question. Only the beginning counts, since what a person pastes is
// further down.
std::optional<std::string_view> AskedToRemember(std::string_view prompt);

// It as a memory of class user. The same words again are the same memory, by its topic.
Capture Remembered(std::string_view words);

}  // namespace sidecar
