// Insights from a chat model.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "lib/base/limits/lru.h"
#include "memory/derive/deriver.h"
#include "memory/endpoint/chat/chat_endpoint.h"

namespace memory {

class EndpointDeriver final : public Deriver {
 public:
  explicit EndpointDeriver(ChatEndpoint& chat);  // which outlives this
  base::Result<std::vector<Insight>> InsightsOf(const std::vector<std::string>& texts,
                                                const std::stop_token& stop) override;

 private:
  using Insights = std::vector<Insight>;
  ChatEndpoint& chat_;
  std::mutex mutex_;
  // By the digest of the request, for insights that their store did not take. Under mutex_.
  base::LruMap<Insights> known_;
};

}  // namespace memory
