// The English word lists of the ranker: function words, irregular forms, words of time and of
// numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memory {

bool IsFunctionWord(std::string_view folded);
bool IsTimeWord(std::string_view folded);
bool IsNumberWord(std::string_view folded);
// All forms of an irregular word, the given one included; empty for regular words.
const std::vector<std::string>& IrregularForms(std::string_view folded);

}  // namespace memory
