// Texts go to the deriver; ids stay here.
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

DerivedInsight WithIds(const Insight& insight, const std::vector<ClusteredTrace>& cluster) {
  DerivedInsight derived{insight.content, insight.importance, {}, {}};
  for (const size_t source : insight.sources) derived.sources.push_back(cluster[source].id);
  for (const ClusteredTrace& trace : cluster) derived.shown.push_back(trace.id);
  return derived;
}

}  // namespace

Result<DerivedInsights> DeriveRun(const DeriveWork& work, Deriver& deriver,
                                  const std::stop_token& stop) {
  DerivedInsights derived;
  for (const auto& cluster : work.clusters) {
    const auto insights = deriver.InsightsOf(TextsOf(cluster), stop);
    if (!insights && stop.stop_requested()) return insights.error();
    if (!insights) derived.outcome = "skipped, " + insights.error().message;
    if (!insights && insights.error().code != Code::kInvalid) break;
    if (!insights) continue;
    for (const Insight& insight : *insights) derived.insights.push_back(WithIds(insight, cluster));
  }
  return derived;
}

}  // namespace memory
