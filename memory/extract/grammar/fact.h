// A fact that a turn may have stated: category, text, importance and speaker.
#pragma once

#include <cstddef>
#include <string>

namespace memory {

// The categories of auto-ingest (B8). Facts about the user (home, name) other than likes are
// kKnowledge.
enum class FactCategory { kUserPreference, kEpisodic, kGoal, kKnowledge, kCorrection };
inline constexpr size_t kFactCategories = 5;
constexpr const char* NameOf(FactCategory category) {
  constexpr const char* kNames[] = {"user_preference", "episodic", "goal", "knowledge",
                                    "correction"};
  return kNames[static_cast<size_t>(category)];
}

enum class Speaker { kUser, kAssistant };
constexpr const char* NameOf(Speaker speaker) {
  return speaker == Speaker::kUser ? "user" : "assistant";
}

inline constexpr size_t kMaxFactCharacters = 500;

struct FactCandidate {
  FactCategory category = FactCategory::kKnowledge;
  std::string content;    // one sentence, UTF-8, at most kMaxFactCharacters
  double importance = 0;  // 0…1, before a personality
  Speaker said_by = Speaker::kUser;
};

}  // namespace memory
