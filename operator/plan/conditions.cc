// Emits Events for conditions that turn bad, and for their recovery.
#include "operator/plan/conditions.h"

#include <algorithm>

#include "lib/kube/object/object.h"

namespace controller {
namespace {

using base::Json;
using kube::Condition;
using kube::Truth;

}  // namespace

base::Json ConditionsOf(const base::Json& object, const std::vector<Condition>& conditions,
                        int64_t now_ms) {
  const Json* old = base::At(object, {"status", "conditions"});
  Json all = old && old->is_array() ? *old : Json::array();
  Json merged = Json::array();
  for (const Condition& condition : conditions) {
    kube::SetCondition(&all, condition, kube::GenerationOf(object), now_ms);
    for (const Json& item : all)
      if (base::StringAt(item, {"type"}) == condition.type) merged.push_back(item);
  }
  return merged;
}

base::Json BrokenStatus(const base::Json& object, const std::string& reason, const std::string& why,
                        int64_t now_ms) {
  return {{"observedGeneration", kube::GenerationOf(object)},
          {"conditions", ConditionsOf(object,
                                      {{"Ready", Truth::kFalse, reason, why},
                                       {"Stalled", Truth::kTrue, reason, why}},
                                      now_ms)}};
}

std::vector<Notice> NoticesOf(const base::Json& old_status, const base::Json& new_status) {
  std::vector<Notice> notices;
  const Json none = Json::array();
  const Json &before = old_status.is_object() && old_status.contains("conditions")
                           ? old_status["conditions"]
                           : none,
             &after = new_status["conditions"];
  for (const Json& item : after) {
    const std::string type = item["type"], reason = item["reason"];
    const Truth bad = type == "Degraded" || type == "Stalled" || type == "NodeSkew" ? Truth::kTrue
                                                                                    : Truth::kFalse;
    const auto now = kube::FindCondition(after, type), then = kube::FindCondition(before, type);
    const bool is_bad = now->status == bad && reason != "Progressing" && reason != "Pending" &&
                        reason != "UpdatePending";
    // With Pending: a changed policy is in force only after it was Pending, and its Event says so.
    const bool was_bad = then && then->status == bad && then->reason != "Progressing" &&
                         then->reason != "UpdatePending";
    // Degraded and Stalled summarize other conditions, which emit the Events of a recovery.
    const bool healed = was_bad && now->status == Truth::kTrue && bad == Truth::kFalse;
    const bool changed = !then || then->status != now->status || then->reason != reason;
    // Ready and Degraded often repeat the reason of another condition: one Event for each reason.
    const bool repeats = std::any_of(notices.begin(), notices.end(),
                                     [&](const Notice& notice) { return notice.reason == reason; });
    if (!changed || repeats) continue;
    if (is_bad) notices.push_back({true, reason, now->message});
    if (healed) notices.push_back({false, reason, now->message});
  }
  return notices;
}

}  // namespace controller
