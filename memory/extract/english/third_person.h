// English sentences about their speaker, told by somebody else: "I prefer my own" becomes "User
// prefers their own". Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "memory/extract/grammar/fact.h"
#include "memory/extract/prose/words.h"

namespace memory {

// "prefers" of "prefer", "is" of "am"; past forms and modals as they are.
std::string ThirdPerson(std::string_view verb);

struct Told {
  std::string_view sentence;
  const std::vector<Word>& words;  // of the sentence
  Speaker speaker;
};
// The words from `begin` to `end` in the third person: the word at `subject` as the speaker's name,
// that at `verb` in the third person when the subject is "I", pronouns of the speaker by "they".
// `subject` or `verb` at or behind `end`: none.
std::string TellOf(const Told& told, size_t begin, size_t end, size_t subject, size_t verb);

}  // namespace memory
