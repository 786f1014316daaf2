// The sentences of a prompt as words for the forms of stated_forms.h. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sidecar {

inline constexpr size_t kMostSentences = 40, kMostSentenceWords = 80;
inline constexpr std::string_view kQuoteWord = "\"", kCodeWord = "`";  // in place of the words

struct StatedWord {
  std::string folded;    // "we", "have" for "We've"; a comma, colon or dash is a word
  bool value = false;    // a number, an identifier
  bool capital = false;  // behind the first word
};

struct StatedSentence {
  std::string_view text;  // without the end mark; in the prompt
  std::vector<StatedWord> words;
  bool asks = false;
};

// The sentences outside of code blocks, quoted and pasted lines.
std::vector<StatedSentence> SentencesOf(std::string_view prompt);

}  // namespace sidecar
