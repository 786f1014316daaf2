// Plans.
#include "memory/model/consolidation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "lib/base/text/text.h"

namespace memory {

namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr size_t kMostMerged = 20;  // traces of one group, since chains of similar traces drift

// Groups indexes by union-find.
class Groups {
 public:
  explicit Groups(size_t count) : parent_(count), size_(count, 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  size_t RootOf(size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  bool MayUnite(size_t a, size_t b) {
    a = RootOf(a), b = RootOf(b);
    return a != b && size_[a] + size_[b] <= kMostMerged;
  }
  void Unite(size_t a, size_t b) {
    if (!MayUnite(a, b)) return;
    a = RootOf(a), b = RootOf(b);
    parent_[b] = a;
    size_[a] += size_[b];
  }

 private:
  std::vector<size_t> parent_, size_;
};

}  // namespace

ConsolidationPlan PlanConsolidation(const std::vector<TraceSketch>& traces, const NearSource& near,
                                    int64_t now_ms, const ConsolidationRules& rules,
                                    const StrengthRules& strength) {
  ConsolidationPlan plan;
  std::vector<bool> left(traces.size());  // may still be merged
  for (size_t i = 0; i < traces.size(); ++i) {
    const TraceSketch& one = traces[i];
    if (one.kind == kProspective && (!one.remind_ms || *one.remind_ms > now_ms)) continue;
    const double now = StrengthAt(one.strength, one.kind, one.remind_ms, now_ms, strength);
    if (now < rules.prune_below)
      plan.prune.push_back(one.slot);
    else
      left[i] = true;
  }
  Groups groups(traces.size());
  const auto alike = [&](size_t a, size_t b) {
    return left[a] && left[b] && traces[a].kind == traces[b].kind &&
           traces[a].scope == traces[b].scope;
  };
  std::map<std::string_view, std::vector<size_t>> by_hash;
  for (size_t i = 0; i < traces.size(); ++i) {
    for (size_t earlier : by_hash[traces[i].hash]) {
      if (!alike(earlier, i)) continue;
      groups.Unite(earlier, i);
      break;
    }
    if (std::vector<size_t>& same = by_hash[traces[i].hash]; same.size() < kMostMerged)
      same.push_back(i);
  }
  near({[&](size_t a, size_t b) { return alike(a, b) && groups.MayUnite(a, b); },
        [&](size_t a, size_t b) { groups.Unite(a, b); }});
  std::map<size_t, std::vector<int64_t>> members;
  for (size_t i = 0; i < traces.size(); ++i)
    if (left[i]) members[groups.RootOf(i)].push_back(traces[i].slot);
  for (size_t i = 0; i < traces.size(); ++i) {
    if (!left[i]) continue;
    const TraceSketch& one = traces[i];
    std::vector<int64_t>& group = members[groups.RootOf(i)];
    const bool merges = group.size() > 1;
    if (merges && groups.RootOf(i) == i) plan.merge.push_back(group);
    if (one.kind == kEpisodic && one.strength.retrievals >= rules.compact_retrievals &&
        now_ms - one.created_ms >= rules.compact_after_days * kDayMs)
      (merges ? plan.compact_unmerged : plan.compact).push_back(one.slot);
  }
  return plan;
}

std::string UnitedText(std::vector<std::string> texts) {
  std::vector<std::string> folded, kept;
  for (const std::string& text : texts)
    folded.push_back(base::CollapseWhitespace(base::FoldCase(text)));
  std::string united;
  for (size_t i = 0; i < texts.size(); ++i) {
    bool within = false;
    for (size_t other = 0; other < texts.size() && !within; ++other) {
      if (other == i || folded[other].find(folded[i]) == std::string::npos) continue;
      within = folded[other].size() > folded[i].size() || other < i;  // of equal ones the first
    }
    if (!within) united += (united.empty() ? "" : "\n") + texts[i];
  }
  return united;
}

double CoactivatedWeight(double weight, int64_t times) {
  return 1 - (1 - std::clamp(weight, 0.0, 1.0)) * std::pow(0.9, static_cast<double>(times));
}

}  // namespace memory
