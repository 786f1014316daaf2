// How often each save rule of the policy in force matched, what became of it, and the time it took:
// for /v1/status and the metrics. Counts since the start; a rule that leaves the policy takes its
// figures along.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/json/json.h"
#include "lib/telemetry/metrics.h"
#include "sidecar/rules/capture.h"

namespace sidecar {

class RuleCounters {
 public:
  explicit RuleCounters(telemetry::Metrics& metrics) : metrics_(metrics) {}

  // The rules of the policy that came into force, in its order.
  void Follow(const std::vector<std::string>& rules);
  // What the rules said to one result, and whether it is on the disk. What did not get there, and
  // rules that were not tried for lack of time, count as dropped. Rules that are gone are skipped.
  void Count(const std::vector<RuleVerdict>& verdicts, bool saved);
  // [{"rule", "matched", "saved", "dropped", "seconds"}] in the policy's order.
  base::Json Encode() const;

 private:
  struct Figures {
    int64_t matched = 0, saved = 0, dropped = 0, spent_us = 0;
  };
  struct Followed {
    std::vector<std::string> order;
    std::map<std::string, Figures> figures;
  };
  void CountOne(const RuleVerdict& verdict, bool saved, Figures& figures);

  telemetry::Metrics& metrics_;
  base::Guarded<Followed>
      followed_;  // also while metrics change, so that no dropped rule comes back
};

}  // namespace sidecar
