// Finds the memory that a prompt asks for: "Remember: I prefer tabs". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sidecar/rules/capture.h"

namespace sidecar {

inline constexpr const char* kRememberRule = "remember";
inline constexpr size_t kMostRemembered = 10'000;  // characters

struct ToRemember {
  std::string words;
  bool everywhere = false;  // in all projects
};

// The text behind a request at the beginning of a prompt, to its end: "Remember: …", "hey, don't
// forget that …", "merke dir bitte, dass …", "from now on …" (remember_*.txt). nullopt: the
// prompt begins otherwise, asks ("do you remember …?") or tells a memory ("I remember that …").
std::optional<ToRemember> AskedToRemember(std::string_view prompt);

// A memory of trust class user; its topic key deduplicates the same words.
Capture Remembered(const ToRemember& asked);

}  // namespace sidecar
