// The emotions of a text by a small English lexicon: how pleasant, how stirred. An estimate for
// facts of a sentence or two, not a model of feelings. Pure.
#pragma once

#include <string_view>

namespace memory {

struct Emotions {
  double valence = 0;  // −1 unpleasant … 1 pleasant; 0: neither, or no word is known
  double arousal = 0;  // 0 calm … 1 stirred
};

// The mean of the known words; a negation up to three words before one turns its valence and halves
// it, a word of degree ("very") raises both. Linear in the text; reads its first 2,000 bytes.
Emotions EmotionsOf(std::string_view text);

}  // namespace memory
