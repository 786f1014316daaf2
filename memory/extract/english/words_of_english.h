// English words by their role in a clause: opening, subject, or without content. Lists of our own,
// not a dictionary. Pure.
#pragma once

#include <string_view>

#include "memory/extract/prose/words.h"

namespace memory {

// "yeah", "so", "also": may precede a clause without being part of it.
bool IsOpening(std::string_view folded);
// Words without content of their own: pronouns, articles, prepositions, "thing", "lot", "good".
bool IsEmptyWord(std::string_view folded);
// i, we, he, it, this …: may begin a new clause.
bool IsSubject(std::string_view folded);
// Digits, or a number in letters up to thirty, "several", "few".
bool IsNumber(const Word& word);

}  // namespace memory
