// Splits a sentence into words as patterns compare them: case folded, contractions as two words,
// quotes and `code` as one word that matches nothing. For languages with blanks between words.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memory {

inline constexpr size_t kMaxWords = 160;  // that are read of a sentence

struct Word {
  std::string folded;  // "i", "am" for "I'm"; "not" only if written out; "" for quotes and `code`
  size_t begin = 0, end = 0;  // bytes of the sentence
  char mark = 0;              // after the word: , ; : - (a dash) ( or ) ; 0: a blank or nothing
  bool capital = false;       // begins with A…Z
};

// "I'm", "I've", "I'll", "I'd", "it's" are two words each: i am, i have, i will, i would, it 's.
std::vector<Word> WordsOf(std::string_view sentence);

}  // namespace memory
