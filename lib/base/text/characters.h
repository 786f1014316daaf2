// Characters (scalar values) of UTF-8 text and what Unicode says about them. The text must be
// UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace base {

struct Scalar {
  uint32_t code = 0;
  size_t size = 1;  // bytes
};
Scalar ScalarAt(std::string_view text, size_t at);

bool IsWordCharacter(uint32_t code);  // a letter, a mark or a number
bool IsUpperCase(uint32_t code);
bool IsMark(uint32_t code);  // belongs to the letter before it
// Of a script that is written without blanks between words: Chinese, Japanese, Thai, Khmer, … .
// Korean, whose words carry particles, counts as one.
bool IsUnspaced(uint32_t code);
// A number for the script of a letter, by its block; 0: marks, digits and what all scripts share.
// Words of two scripts that follow each other without a blank are two words.
uint32_t ScriptOf(uint32_t code);

}  // namespace base
