// Finds what a prompt states that lasts: "We use pytest here, not unittest.", "Staging's Postgres
// listens on 5433, not 5432, because …". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sidecar/rules/capture.h"
#include "sidecar/rules/stated_forms.h"

namespace sidecar {

inline constexpr const char* kStatedRule = "stated";
inline constexpr size_t kMostStated = 2'000;         // characters of the content
inline constexpr size_t kMostReadOfAPrompt = 8'192;  // bytes

struct Stated {
  StatedKind kind;
  std::string title;      // the first sentence that states something
  std::string_view form;  // that the first has: for tests
  std::string words;      // all such sentences; of a short prompt all sentences that ask nothing
};

// Reads sentence by sentence; code blocks, quotes, questions, requests and pasted text state
// nothing. nullopt: nothing is stated. Precision counts more than recall: what is not found can
// still be remembered by a request. Linear in the text.
std::optional<Stated> StatedIn(std::string_view prompt);

// A memory of trust class user; its topic key deduplicates the same words.
Capture StatedMemory(const Stated& stated);

}  // namespace sidecar
