// In a pod no user can set these limits, so the defaults decide: 90 days by kind, and half of the
// volume (ADR 37). The size that counts is that of the pages in use: deletes do not shrink the
// file, so its own size would never fall below the limit.
#include "sidecar/growth/growth_plan.h"

#include <algorithm>

namespace sidecar {
namespace {

constexpr int64_t kFreshMs = 3'600'000;  // newer rows are never evicted by size

}  // namespace

const char* NameOf(EvictionClass kind) {
  switch (kind) {
    case EvictionClass::kAnswers:
      return "answers";
    case EvictionClass::kInjections:
      return "injections";
    case EvictionClass::kLedgers:
      return "ledgers";
    case EvictionClass::kConversations:
      return "conversations";
    case EvictionClass::kAudit:
      return "audit";
    case EvictionClass::kMessages:
      return "messages";
  }
  return "";
}

const char* NameOf(Cut::Reason reason) { return reason == Cut::Reason::kAge ? "age" : "share"; }

int64_t GrowthLimits::KeepMs(EvictionClass kind) const {
  switch (kind) {
    case EvictionClass::kAnswers:
      return answers_ms;
    case EvictionClass::kInjections:
      return injections_ms;
    case EvictionClass::kAudit:
      return audit_ms;
    default:
      return conversations_ms;
  }
}

int64_t StateLimit(int64_t setting, int64_t volume_bytes) {
  if (setting > 0) return setting;
  return volume_bytes > 0 ? std::min(volume_bytes / 2, kMostStateBytes) : kMostStateBytes;
}

std::optional<Cut> GrowthPlan::Next(int64_t used_bytes) {
  using Reason = Cut::Reason;
  const auto first = [&](Reason reason) -> std::optional<EvictionClass> {
    for (const EvictionClass kind : kEvictionOrder) {
      if (limits_.KeepMs(kind) > 0 && !exhausted_.contains({kind, reason})) return kind;
    }
    return std::nullopt;
  };
  if (const auto kind = first(Reason::kAge)) {
    return Cut{*kind, Reason::kAge, aged_ms_ - limits_.KeepMs(*kind)};
  }
  const int64_t limit = relieving_ ? limits_.max_bytes / 10 * 9 : limits_.max_bytes;
  relieving_ = limits_.max_bytes > 0 && used_bytes > limit;
  if (!relieving_) return std::nullopt;
  if (const auto kind = first(Reason::kShare)) {
    return Cut{*kind, Reason::kShare, now_ms_ - kFreshMs};
  }
  return std::nullopt;
}

void GrowthPlan::SetExhausted(const Cut& cut) { exhausted_.emplace(cut.kind, cut.reason); }

}  // namespace sidecar
