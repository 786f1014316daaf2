// Facts of an English sentence. Pure.
#pragma once

#include <vector>

#include "memory/extract/grammar/fact.h"
#include "memory/extract/prose/sentences.h"

namespace memory {

// Reads the sentences of one message, in order.
class EnglishReader {
 public:
  explicit EnglishReader(Speaker speaker) : speaker_(speaker) {}

  // Adds the facts that the sentence states. Questions, suppositions, quotes and pasted texts state
  // none.
  void Read(const Sentence& sentence, std::vector<FactCandidate>& facts);

 private:
  Speaker speaker_;
  bool corrects_ = false;  // the previous sentence was "That's wrong."
  bool pasted_ = false;    // a previous sentence announced a text to work on
};

}  // namespace memory
