// English words by what they do in any clause: they open it, are its subject, or carry nothing.
// Lists of our own, not a dictionary. Pure.
#pragma once

#include <string_view>

#include "memory/extract/prose/words.h"

namespace memory {

// "yeah", "so", "also": what may stand before a clause without being part of it.
bool IsOpening(std::string_view folded);
// Words that carry nothing by themselves: pronouns, articles, prepositions, "thing", "lot", "good".
bool IsEmptyWord(std::string_view folded);
// i, we, he, it, this …: what a new clause begins with.
bool IsSubject(std::string_view folded);
// Digits, or a number in letters up to thirty, "several", "few".
bool IsNumber(const Word& word);

}  // namespace memory
