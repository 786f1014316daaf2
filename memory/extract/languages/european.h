// Facts of German, French and Spanish sentences. Fewer forms than English has: what the tests show.
// Pure.
#pragma once

#include "memory/extract/grammar/fact.h"
#include "memory/extract/grammar/pattern.h"
#include "memory/extract/prose/sentences.h"

namespace memory {

const Patterns& GermanPatterns();
const Patterns& FrenchPatterns();
const Patterns& SpanishPatterns();

// False when the sentence states none, or is in none of the languages. The fact is the sentence.
bool ReadEuropean(const Sentence& sentence, Speaker speaker, FactCandidate& fact);

}  // namespace memory
