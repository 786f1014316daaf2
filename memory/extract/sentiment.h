// Estimates the emotions of a text by a small English lexicon: valence and arousal. For facts of a
// sentence or two; not a model of feelings. Pure.
#pragma once

#include <string_view>

namespace memory {

struct Emotions {
  double valence = 0;  // −1 unpleasant … 1 pleasant; 0: neutral, or no known word
  double arousal = 0;  // 0 calm … 1 excited
};

// The mean of the known words. A negation up to three words before a word inverts and halves its
// valence; a word of degree ("very") raises both values. Reads the first 2,000 bytes, in linear
// time.
Emotions EmotionsOf(std::string_view text);

}  // namespace memory
