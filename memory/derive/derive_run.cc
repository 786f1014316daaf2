// Passes texts to the deriver, without ids.
#include "memory/derive/derive_run.h"

#include <utility>

namespace memory {

using base::Code;
using base::Result;

namespace {

std::vector<std::string> TextsOf(const std::vector<ClusteredTrace>& cluster) {
  std::vector<std::string> texts;
  texts.reserve(cluster.size());
  for (const ClusteredTrace& trace : cluster) texts.push_back(trace.content);
  return texts;
}

}  // namespace

Result<DerivedInsights> DeriveRun(const DeriveWork& work, Deriver& deriver,
                                  const std::stop_token& stop) {
  DerivedInsights derived;
  for (size_t i = 0; i < work.clusters.size(); ++i) {
    auto insights = deriver.InsightsOf(TextsOf(work.clusters[i]), stop);
    if (!insights && stop.stop_requested()) return insights.error();
    if (!insights) derived.outcome = "skipped, " + insights.error().message;
    if (!insights && insights.error().code != Code::kInvalid) break;
    if (!insights) continue;
    for (Insight& one : *insights)
      derived.insights.push_back(
          {std::move(one.content), one.importance, i, std::move(one.sources)});
  }
  return derived;
}

}  // namespace memory
