// Splits an English sentence into clauses that may state something by themselves. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/extract/prose/sentences.h"
#include "memory/extract/prose/words.h"

namespace memory {

// Offsets of words: `begin` is the subject, after "well," and "Hey Mel,"; `prefix` is the beginning
// of a time or a circumstance before the subject, or equals `begin`; `end` is exclusive.
struct Clause {
  size_t prefix, begin, end;
};

std::vector<Clause> ClausesOf(const std::vector<Word>& words);
// The end of the clause that begins at `begin`; it has at least that word.
size_t EndOfClause(const std::vector<Word>& words, size_t begin);
// The first word after openings ("yeah", "so") and the name of the addressed person.
size_t AfterOpenings(const std::vector<Word>& words, size_t begin, size_t end);

// Whether the sentence is a supposition ("If …", "Imagine …", "For example …"), whose content is
// not stated as true, or a question without a mark.
bool StatesNothing(const std::vector<Word>& words);
// "Translate this: …": the text that follows is not the user's own statement.
bool AsksForWorkOnText(const Sentence& sentence, const std::vector<Word>& words);

}  // namespace memory
