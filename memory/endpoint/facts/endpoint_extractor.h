// Extracts facts of turns with a chat model, or with patterns if the model is unavailable, late or
// out of budget: a turn waits at most one deadline.
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
