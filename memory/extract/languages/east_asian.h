// Facts of Chinese and Japanese sentences. Matches strings instead of words, which no blanks
// separate. Fewer forms than for English: those of the tests. Pure.
#pragma once

#include "memory/extract/grammar/fact.h"
#include "memory/extract/prose/sentences.h"

namespace memory {

// False if the sentence states no fact, or is in neither language. The fact is the sentence.
bool ReadEastAsian(const Sentence& sentence, Speaker speaker, FactCandidate& fact);

}  // namespace memory
