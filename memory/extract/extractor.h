// The interface of fact extractors: patterns, or a remote model (memory/endpoint/facts). select.h
// decides which facts are stored.
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
  // At most kMaxCandidates, the user's first. kInvalid: no usable answer for these texts, other
  // texts may succeed; kUnavailable: `stop`.
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
