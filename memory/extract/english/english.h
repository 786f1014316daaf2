// Facts of an English sentence. Pure.
#pragma once

#include <vector>

#include "memory/extract/grammar/fact.h"
#include "memory/extract/prose/sentences.h"

namespace memory {

// One of a message; its sentences go through it in their order.
class EnglishReader {
 public:
  explicit EnglishReader(Speaker speaker) : speaker_(speaker) {}

  // Adds what the sentence states. Questions, suppositions and what is not told by its speaker
  // state nothing.
  void Read(const Sentence& sentence, std::vector<FactCandidate>& facts);

 private:
  Speaker speaker_;
  bool corrects_ = false;  // the sentence before was "That's wrong."
  bool pasted_ = false;    // a sentence said that what follows is a text to work on
};

}  // namespace memory
