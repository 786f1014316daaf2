// Facts of German, French and Spanish sentences. Fewer forms than for English: those of the tests.
// Pure.
#pragma once

#include "memory/extract/grammar/fact.h"
#include "memory/extract/grammar/pattern.h"
#include "memory/extract/prose/sentences.h"

namespace memory {

const Patterns& GermanPatterns();
const Patterns& FrenchPatterns();
const Patterns& SpanishPatterns();

// False if the sentence states no fact, or is in none of the languages. The fact is the sentence.
bool ReadEuropean(const Sentence& sentence, Speaker speaker, FactCandidate& fact);

}  // namespace memory
