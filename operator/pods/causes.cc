// A StatefulSet and a Job have no condition about a pod that the API server refuses: their
// controllers write Events. A claim without a volume and a mount that fails have only Events too.
#include "operator/pods/causes.h"

#include <algorithm>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/kube/object/conditions.h"
#include "lib/kube/object/object.h"
#include "operator/pods/remedy.h"
#include "operator/pods/state.h"

namespace controller {
namespace {

using base::Json;

// Nearly every pod exists before the first look; kSlackMs: clocks differ, and Events have seconds.
constexpr int64_t kFirstLookMs = 3'000, kLongestMs = 60'000, kSlackMs = 5'000;
constexpr size_t kMostCharacters = 1'000;  // of a message: a webhook may write any length

int64_t TimeOf(const Json& object, std::initializer_list<const char*> path) {
  const auto time = base::ParseTime(base::StringAt(object, path));
  return time ? *time : 0;
}

int64_t LastSeenMs(const Json& event) {
  return std::max({TimeOf(event, {"series", "lastObservedTime"}),
                   TimeOf(event, {"deprecatedLastTimestamp"}), TimeOf(event, {"eventTime"}),
                   TimeOf(event, {"metadata", "creationTimestamp"})});
}

}  // namespace

Suspicion SuspicionOf(const Json& owner, const Json* workload, const std::vector<Json>& pods,
                      const std::optional<Json>& claim, int64_t now_ms) {
  Suspicion suspicion;
  if (!workload || kube::IsBeingDeleted(*workload)) return suspicion;
  const int64_t since_ms = kube::FalseSinceMs(owner, "Ready");
  auto suspect = [&](const std::string& kind, const Json& object) {
    const int64_t age_from = std::max(since_ms, TimeOf(object, {"metadata", "creationTimestamp"}));
    Suspect one{kind, kube::KeyOf(object).name, kube::UidOf(object), age_from};
    const int64_t age_ms = now_ms - age_from, next_ms = EventsAreGoodForMs(one, now_ms);
    if (suspicion.look_again_ms == 0 || next_ms < suspicion.look_again_ms)
      suspicion.look_again_ms = next_ms;
    if (since_ms > 0 && !one.uid.empty() && age_ms >= kFirstLookMs)
      suspicion.suspects.push_back(std::move(one));
  };
  const bool unbound = claim && base::StringAt(*claim, {"status", "phase"}, "Pending") == "Pending";
  if (pods.empty()) suspect(base::StringAt(*workload, {"kind"}, "StatefulSet"), *workload);
  bool starts = false;
  for (const Json& pod : pods) {
    const PodState state = StateOf(pod);
    if (state.leaving || state.ready || state.phase != "Pending") continue;
    if (!starts && unbound) suspect("PersistentVolumeClaim", *claim);
    starts = true;
    if (state.reason == "Progressing") suspect("Pod", pod);
  }
  return suspicion;
}

kube::Condition NotReady(const std::string& reason, const std::string& message,
                         const std::vector<Cause>& causes) {
  const bool has_cause = !causes.empty() && (reason == "Progressing" || reason == "Unschedulable");
  return {"Ready", kube::Truth::kFalse, has_cause ? causes.front().reason : reason,
          has_cause ? causes.front().message : message};
}

int64_t EventsAreGoodForMs(const Suspect& suspect, int64_t now_ms) {
  return std::clamp((now_ms - suspect.since_ms) / 4, kFirstLookMs, kLongestMs);
}

std::optional<Cause> CauseOf(const Suspect& suspect, const std::vector<Json>& events) {
  const Json* newest = nullptr;
  for (const Json& event : events) {
    if (base::StringAt(event, {"type"}) != "Warning" ||
        base::StringAt(event, {"regarding", "uid"}) != suspect.uid ||
        LastSeenMs(event) + kSlackMs < suspect.since_ms)
      continue;
    if (!newest || LastSeenMs(*newest) <= LastSeenMs(event)) newest = &event;
  }
  if (!newest) return std::nullopt;
  const std::string reason = base::StringAt(*newest, {"reason"}, "Failed"),
                    words =
                        base::CollapseWhitespace(base::ToUtf8(base::StringAt(*newest, {"note"})));
  return Cause{suspect.kind, reason,
               suspect.kind + " " + suspect.name + ": " + reason + ": " +
                   base::Ellipsize(words, kMostCharacters) + RemedyFor(words)};
}

}  // namespace controller
