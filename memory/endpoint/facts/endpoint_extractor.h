// Facts of turns from a chat model. Where it is away, late or its budget is spent, patterns find
// them: no turn waits for it longer than for one deadline.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "lib/base/limits/lru.h"
#include "memory/endpoint/chat/chat_endpoint.h"
#include "memory/extract/extractor.h"

namespace memory {

class EndpointExtractor final : public Extractor {
 public:
  explicit EndpointExtractor(ChatEndpoint& chat);  // which outlives this
  base::Result<std::vector<FactCandidate>> FactsOf(const std::string& user,
                                                   const std::string& assistant,
                                                   const std::stop_token& stop) override;

 private:
  using Facts = std::vector<FactCandidate>;
  ChatEndpoint& chat_;
  std::mutex mutex_;
  // By the digest of the request, for a turn that its store did not take. Under mutex_.
  base::LruMap<Facts> known_;
};

}  // namespace memory
