// Counts matches, results and processor time of each save rule in force, for /v1/status and the
// metrics. Counts begin at the start of the process; removing a rule removes its counts.
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

  // Replaces the rules by those of a new policy, in the policy's order.
  void Follow(const std::vector<std::string>& rules);
  // Adds the verdicts on one result. Captures that were not `saved`, and rules skipped for lack of
  // time, count as dropped. Verdicts of removed rules are ignored.
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
      followed_;  // held while metrics change, so that no removed rule reappears
};

}  // namespace sidecar
