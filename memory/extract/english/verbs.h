// Classes of English verbs, by lists of our own and by endings. Pure.
#pragma once

#include "memory/extract/prose/words.h"

namespace memory {

bool IsGoalVerb(const Word& word);    // an infinitive that may be an aim; no verb of asking, seeing
bool IsGerund(const Word& word);      // "writing"; not "thing", not of thinking or wanting
bool IsPast(const Word& word);        // a simple past; not of thinking, saying or liking
bool IsEvent(const Word& word);       // a past that is worth keeping whenever it was: "moved"
bool IsParticiple(const Word& word);  // of a perfect tense: an event, or "become"
bool IsHabit(const Word& word);       // an infinitive that may follow "always" or "never"

}  // namespace memory
