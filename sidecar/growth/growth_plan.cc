// Kinds are evicted in the order of their enum, the least valuable first.
#include "sidecar/growth/growth_plan.h"

#include <algorithm>

namespace sidecar {
namespace {

constexpr int64_t kFreshMs = 3'600'000;  // newer rows are never evicted by size

}  // namespace

const char* NameOf(Growing kind) {
  switch (kind) {
    case Growing::kAnswers:
      return "answers";
    case Growing::kInjections:
      return "injections";
    case Growing::kLedgers:
      return "ledgers";
    case Growing::kConversations:
      return "conversations";
    case Growing::kAudit:
      return "audit";
    case Growing::kMessages:
      return "messages";
  }
  return "";
}

const char* NameOf(Cut::Reason reason) { return reason == Cut::Reason::kAge ? "age" : "share"; }

int64_t GrowthLimits::KeepMs(Growing kind) const {
  switch (kind) {
    case Growing::kAnswers:
      return answers_ms;
    case Growing::kInjections:
      return injections_ms;
    case Growing::kAudit:
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
  const auto first = [&](Reason reason) -> std::optional<Growing> {
    for (const Growing kind : kGrowing) {
      if (limits_.KeepMs(kind) > 0 && !spent_.contains({kind, reason})) return kind;
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

void GrowthPlan::NothingLeft(const Cut& cut) { spent_.emplace(cut.kind, cut.reason); }

}  // namespace sidecar
