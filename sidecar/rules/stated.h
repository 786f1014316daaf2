// Finds what a prompt states that lasts: "We use pytest here, not unittest.", "Staging's Postgres
// listens on 5433, not 5432, because …". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sidecar {

inline constexpr size_t kMostStated = 2'000;         // characters of the content
inline constexpr size_t kMostReadOfAPrompt = 8'192;  // bytes
// The score, in hundredths, from which a sentence states something (stated_weights.h). Lower: more
// is found, and more of what a day has besides is taken for it (ADR 73 has the shares).
inline constexpr int kLeastStatedScore = -50;

enum class StatedKind { kDecision, kConvention, kPreference, kFact };

struct Stated {
  StatedKind kind = StatedKind::kFact;
  std::string title;  // the first sentence that states something
  std::string words;  // all such sentences, with the one before if the first points back to it
  int score = 0;      // the highest of a sentence
  std::vector<std::string> signs;  // its features that speak most for it, the strongest first
};

// Scores sentence by sentence, by the weights of its features; code blocks, quotes and pasted text
// state nothing. nullopt: nothing is stated. Linear in the text.
std::optional<Stated> StatedIn(std::string_view prompt);

std::string_view NameOf(StatedKind kind);  // the type of the memory

}  // namespace sidecar
