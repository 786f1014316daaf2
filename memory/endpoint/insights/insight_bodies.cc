// The answer is untrusted: one invalid insight makes all of it unusable.
#include "memory/endpoint/insights/insight_bodies.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/json.h"
#include "lib/base/text/text.h"
#include "memory/endpoint/chat/chat_bodies.h"
#include "memory/endpoint/insights/insight_prompt.h"

namespace memory {

using base::Json;
using base::Result;

namespace {

Result<std::vector<size_t>> SourcesIn(const Json& insight, size_t texts) {
  const auto given = insight.find("sources");
  std::vector<size_t> sources;
  if (given != insight.end() && given->is_array()) {
    for (const Json& number : *given) {
      if (!number.is_number_integer() || number < 1 || number > texts)
        return UnusableAnswer("sources has an element that is not a number from 1 to " +
                              std::to_string(texts));
      const size_t index = number.get<size_t>() - 1;
      if (std::find(sources.begin(), sources.end(), index) == sources.end())
        sources.push_back(index);
    }
  }
  if (sources.size() < 2) return UnusableAnswer("an insight has less than two sources");
  return sources;
}

}  // namespace

std::string EncodeInsightRequest(const std::string& model, const std::vector<std::string>& texts) {
  Json memories = Json::array();
  for (const std::string& text : texts) {
    const size_t end = base::BorderBefore(text, std::min(text.size(), kMostShownOfTrace));
    memories.push_back({{"number", memories.size() + 1}, {"content", text.substr(0, end)}});
  }
  return EncodeChatRequest(model, kInsightPrompt, {{"memories", std::move(memories)}});
}

Result<std::vector<Insight>> DecodeInsights(const std::string& text, size_t texts) {
  ASSIGN_OR_RETURN(const auto insights, ListIn(text, "insights", kMaxInsights));
  std::vector<Insight> read;
  for (const Json& insight : insights) {
    Insight one;
    ASSIGN_OR_RETURN(one.content, ContentIn(insight, kMaxInsightCharacters));
    ASSIGN_OR_RETURN(one.importance, ImportanceIn(insight));
    ASSIGN_OR_RETURN(one.sources, SourcesIn(insight, texts));
    read.push_back(std::move(one));
  }
  return read;
}

}  // namespace memory
