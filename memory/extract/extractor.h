// What finds the facts of a turn: patterns at once, or a model that is asked over the network
// (memory/endpoint/facts). Not for which facts are stored.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "memory/extract/extract.h"

namespace memory {

// Any thread; may take seconds.
class Extractor {
 public:
  virtual ~Extractor() = default;
  // At most kMaxCandidates, the user's first. kInvalid: nothing usable was made of these texts, and
  // the next call may do; kUnavailable: `stop`.
  virtual base::Result<std::vector<FactCandidate>> FactsOf(const std::string& user,
                                                           const std::string& assistant,
                                                           const std::stop_token& stop) = 0;
};

class PatternExtractor final : public Extractor {
 public:
  base::Result<std::vector<FactCandidate>> FactsOf(const std::string& user,
                                                   const std::string& assistant,
                                                   const std::stop_token&) override {
    return ExtractFacts(user, assistant);
  }
};

}  // namespace memory
