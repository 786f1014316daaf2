// Decay and growth.
#include "memory/model/strength.h"

#include <algorithm>
#include <cmath>

namespace memory {

namespace {
constexpr double kMsOfDay = 86'400'000;
}  // namespace

bool IsTraceKind(std::string_view word) {
  return word == kEpisodic || word == kSemantic || word == kProcedural || word == kProspective;
}

double StrengthAt(const Strength& strength, std::string_view kind, std::optional<int64_t> remind_ms,
                  int64_t now_ms, const StrengthRules& rules) {
  int64_t since_ms = strength.accessed_ms;
  if (kind == kProspective) {
    if (!remind_ms) return std::clamp(strength.value, 0.0, 1.0);
    since_ms = std::max(since_ms, *remind_ms);
  }
  double stability = rules.stability_days * (1 + static_cast<double>(strength.retrievals));
  if (kind == kSemantic || kind == kProcedural) stability *= rules.lasting;
  const double age = static_cast<double>(std::max<int64_t>(0, now_ms - since_ms));
  return std::clamp(strength.value * std::exp(-age / (stability * kMsOfDay)), 0.0, 1.0);
}

Strength Retrieved(const Strength& strength, std::string_view kind,
                   std::optional<int64_t> remind_ms, int64_t times, int64_t now_ms,
                   const StrengthRules& rules) {
  const double now = StrengthAt(strength, kind, remind_ms, now_ms, rules);
  return {std::min(1.0, now + rules.retrieval_gain * static_cast<double>(times)),
          std::max(strength.accessed_ms, now_ms), strength.retrievals + times};
}

}  // namespace memory
