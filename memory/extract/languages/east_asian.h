// Facts of Chinese and Japanese sentences, by signs in the text: there are no blanks to find words
// by. Fewer forms than English has: what the tests show. Pure.
#pragma once

#include "memory/extract/grammar/fact.h"
#include "memory/extract/prose/sentences.h"

namespace memory {

// False when the sentence states none, or is in neither language. The fact is the sentence.
bool ReadEastAsian(const Sentence& sentence, Speaker speaker, FactCandidate& fact);

}  // namespace memory
