// The clauses of an English sentence that may state something by themselves. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/extract/prose/sentences.h"
#include "memory/extract/prose/words.h"

namespace memory {

// Words of a sentence: `begin` is the subject's, behind "well," and "Hey Mel,"; `prefix` that of a
// time or a circumstance before it, or the same.
struct Clause {
  size_t prefix, begin, end;
};

std::vector<Clause> ClausesOf(const std::vector<Word>& words);
// Behind the clause that begins at `begin` and has at least one word more.
size_t EndOfClause(const std::vector<Word>& words, size_t begin);
// The first word that is not "yeah", "so" or the name of who is spoken to.
size_t BehindOpenings(const std::vector<Word>& words, size_t begin, size_t end);

// "If …", "Imagine …", "For example …": what follows is not said to be true. Also questions
// without a mark.
bool StatesNothing(const std::vector<Word>& words);
// "Translate this: …": what follows is a text to work on.
bool AsksForWorkOnText(const Sentence& sentence, const std::vector<Word>& words);

}  // namespace memory
