// Redacts the texts before they are sent.
#include "memory/endpoint/insights/endpoint_deriver.h"

#include <utility>

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
  if (auto known = known_.Find(request)) return *std::move(known);
  Insights insights;
  RETURN_IF_ERROR(chat_.Query(
      request,
      [&](const std::string& text) -> Status {
        ASSIGN_OR_RETURN(insights, DecodeInsights(text, texts.size()));
        return {};
      },
      stop));
  known_.Put(request, insights);
  return insights;
}

}  // namespace memory
