// Decides which candidates of a turn become facts: score, filter, deduplicate, cap (B4…B6). Pure:
// the caller provides similarities and stores the facts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "memory/extract/grammar/fact.h"
#include "memory/extract/personality.h"

namespace memory {

enum class FactFate {
  kStored,
  kBelow,      // its importance is below the threshold
  kDuplicate,  // equals a stored fact of this turn, or is similar to a stored trace
  kBeyond,     // the turn has stored its maximum of facts
};
constexpr const char* NameOf(FactFate fate) {
  constexpr const char* kNames[] = {"stored", "below", "duplicate", "beyond"};
  return kNames[static_cast<size_t>(fate)];
}

struct FactDecision {
  FactCandidate fact;    // with the importance after the boosts, 0…1
  double threshold = 0;  // the limit for the importance
  FactFate fate = FactFate::kBelow;
};

// The highest cosine of a fact's content with the stored traces; 0: none.
using SimilarityOf = std::function<double(const std::string& content)>;

// A decision for each candidate, in the order of the candidates. More important facts are stored
// first, and earlier ones if equal; a duplicate does not count in the turn's maximum. Calls
// `similar` at most once a candidate, only for facts that would be stored; empty: nothing is
// similar. Settings that are not enabled give an empty vector.
std::vector<FactDecision> SelectFacts(std::vector<FactCandidate> candidates,
                                      const IngestSettings& settings, const SimilarityOf& similar);

// The form by which two contents are the same fact: case folded letters and digits, with single
// blanks between.
std::string NormalizedFact(const std::string& content);

}  // namespace memory
