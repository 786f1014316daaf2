// Updates the numbers of the status and the Prometheus metrics together.
#include "sidecar/turn/rule_counters.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sidecar {
namespace {

using Outcome = RuleVerdict::Outcome;

constexpr const char* kMatched = "agent_memory_sidecar_rule_matches_total";
constexpr const char* kSaved = "agent_memory_sidecar_captures_total";
constexpr const char* kDropped = "agent_memory_sidecar_rule_drops_total";
constexpr const char* kSeconds = "agent_memory_sidecar_rule_seconds_total";

double Seconds(int64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

}  // namespace

void RuleCounters::Follow(const std::vector<std::string>& rules) {
  followed_.With([&](Followed& followed) {
    std::map<std::string, Figures> kept;
    for (const std::string& rule : rules) kept[rule] = followed.figures[rule];
    for (const auto& [rule, figures] : followed.figures) {
      if (kept.contains(rule)) continue;
      for (const char* name : {kMatched, kSaved, kDropped, kSeconds}) {
        metrics_.RemoveCounter(name, {{"rule", rule}});
      }
    }
    followed.order = rules;
    followed.figures = std::move(kept);
  });
}

void RuleCounters::Count(const std::vector<RuleVerdict>& verdicts, bool saved) {
  followed_.With([&](Followed& followed) {
    for (const RuleVerdict& verdict : verdicts) {
      const auto figures = followed.figures.find(verdict.rule);
      if (figures != followed.figures.end()) CountOne(verdict, saved, figures->second);
    }
  });
}

void RuleCounters::CountOne(const RuleVerdict& verdict, bool saved, Figures& figures) {
  const telemetry::Labels labels = {{"rule", verdict.rule}};
  auto add = [&](const char* name, int64_t& figure) {
    ++figure;
    metrics_.Count(name, labels);
  };
  const bool matched = verdict.outcome == Outcome::kMatched;
  if (matched) add(kMatched, figures.matched);
  if (matched && saved) add(kSaved, figures.saved);
  if (verdict.outcome == Outcome::kOverBudget || (matched && !saved)) {
    add(kDropped, figures.dropped);
  }
  if (verdict.took_us == 0) return;
  figures.spent_us += verdict.took_us;
  metrics_.Count(kSeconds, labels, Seconds(verdict.took_us));
}

base::Json RuleCounters::Encode() const {
  return followed_.With([](const Followed& followed) {
    base::Json list = base::Json::array();
    for (auto rule = followed.order.begin(); rule != followed.order.end(); ++rule) {
      if (std::find(followed.order.begin(), rule, *rule) != rule) continue;  // equal rules are one
      const Figures& figures = followed.figures.at(*rule);
      list.push_back({{"rule", *rule},
                      {"matched", figures.matched},
                      {"saved", figures.saved},
                      {"dropped", figures.dropped},
                      {"seconds", Seconds(figures.spent_us)}});
    }
    return list;
  });
}

}  // namespace sidecar
