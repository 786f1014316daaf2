// Texts leave redacted.
#include "memory/endpoint/insights/endpoint_deriver.h"

#include <utility>

#include "lib/base/text/digest.h"
#include "memory/endpoint/insights/insight_bodies.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

constexpr size_t kKnownClusters = 16;

}  // namespace

EndpointDeriver::EndpointDeriver(ChatEndpoint& chat) : chat_(chat), known_(kKnownClusters) {}

Result<std::vector<Insight>> EndpointDeriver::InsightsOf(const std::vector<std::string>& texts,
                                                         const std::stop_token& stop) {
  std::vector<std::string> shown;
  shown.reserve(texts.size());
  for (const std::string& text : texts) shown.push_back(chat_.Shown(text));
  const std::string request = EncodeInsightRequest(chat_.model(), shown);
  const std::string digest = base::Sha256Hex(request);
  {
    const std::lock_guard lock(mutex_);
    if (const Insights* known = known_.Find(digest)) return *known;
  }
  Insights insights;
  RETURN_IF_ERROR(chat_.Ask(
      request,
      [&](const std::string& text) -> Status {
        ASSIGN_OR_RETURN(insights, DecodeInsights(text, texts.size()));
        return {};
      },
      stop));
  const std::lock_guard lock(mutex_);
  known_.Put(digest, insights);
  return insights;
}

}  // namespace memory
