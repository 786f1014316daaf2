// Insights from a chat model.
#pragma once

#include <string>
#include <vector>

#include "memory/derive/deriver.h"
#include "memory/endpoint/chat/chat_endpoint.h"
#include "memory/endpoint/chat/known_answers.h"

namespace memory {

class EndpointDeriver final : public Deriver {
 public:
  explicit EndpointDeriver(ChatEndpoint& chat);  // which outlives this
  base::Result<std::vector<Insight>> InsightsOf(const std::vector<std::string>& texts,
                                                const std::stop_token& stop) override;

 private:
  using Insights = std::vector<Insight>;
  ChatEndpoint& chat_;
  KnownAnswers<Insights> known_;
};

}  // namespace memory
