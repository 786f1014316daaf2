// Converts English sentences from the first to the third person: "I prefer my own" becomes "User
// prefers their own". Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "memory/extract/grammar/fact.h"
#include "memory/extract/prose/words.h"

namespace memory {

// The verb's form for "he": "prefers" for "prefer", "is" for "am"; past forms and modals unchanged.
std::string ThirdPerson(std::string_view verb);

struct Utterance {
  std::string_view sentence;
  const std::vector<Word>& words;  // of the sentence
  Speaker speaker;
};
// The words from `begin` to `end` in the third person. Replaces the word at `subject` by the
// speaker's name, the verb at `verb` by its third person if the subject is "I", and the speaker's
// pronouns by forms of "they". A `subject` or `verb` from `end` on means that there is none.
std::string InThirdPerson(const Utterance& utterance, size_t begin, size_t end, size_t subject,
                          size_t verb);

}  // namespace memory
