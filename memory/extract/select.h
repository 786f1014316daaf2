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
  kBelow,      // of less importance than the threshold
  kDuplicate,  // of a stored one of this turn, or similar to what is there
  kBeyond,     // the turn has its facts already
};
constexpr const char* NameOf(FactFate fate) {
  constexpr const char* kNames[] = {"stored", "below", "duplicate", "beyond"};
  return kNames[static_cast<size_t>(fate)];
}

struct FactDecision {
  FactCandidate fact;    // with the importance after the boosts, 0…1
  double threshold = 0;  // that the importance was compared with
  FactFate fate = FactFate::kBelow;
};

// The highest cosine of a fact's content with the stored traces; 0: none.
using SimilarityOf = std::function<double(const std::string& content)>;

// A decision for each candidate, in the order of the candidates. The most important ones are stored
// first, of equal ones the earlier; a duplicate takes no place of the turn. `similar` is called for
// what may be stored only, at most once a candidate; empty: nothing is similar. Settings that are
// not enabled decide nothing: an empty vector.
std::vector<FactDecision> SelectFacts(std::vector<FactCandidate> candidates,
                                      const IngestSettings& settings, const SimilarityOf& similar);

// Two contents are the same fact when this is equal: case folded, letters and digits alone with
// single blanks between.
std::string NormalizedFact(const std::string& content);

}  // namespace memory
