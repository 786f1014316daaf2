// The words by which people ask for a memory, by language. Pure data; remember.cc reads prompts by
// them. Phrases are in lower case with single blanks.
#pragma once

#include <span>
#include <string_view>

namespace sidecar {

struct RememberForms {
  std::span<const std::string_view> openings;     // before a request: "please", "hey"
  std::span<const std::string_view> questions;    // openings that ask for it: "can you"
  std::span<const std::string_view> requests;     // "remember", "don't forget"
  std::span<const std::string_view> additions;    // behind a request: "this", "for next time"
  std::span<const std::string_view> connectives;  // before the text: "that", "to"
  std::span<const std::string_view> subjects;     // begin a text without a connective: "we", "I"
  std::span<const std::string_view> asking;       // begin a question: "what"
  std::span<const std::string_view> standing;     // begin the text itself: "from now on"
  std::span<const std::string_view> everywhere;   // for all projects: "everywhere"
};

// English and German.
std::span<const RememberForms> AllRememberForms();

}  // namespace sidecar
