// Facts of turns from a chat model. Where it is away, late or its budget is spent, patterns find
// them: no turn waits for it longer than for one deadline.
#pragma once

#include <string>
#include <vector>

#include "memory/endpoint/chat/chat_endpoint.h"
#include "memory/endpoint/chat/known_answers.h"
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
  KnownAnswers<Facts> known_;
};

}  // namespace memory
