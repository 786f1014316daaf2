// Updates status.conditions in place, by type; sets the time only when the status changes.
#include "lib/kube/object/conditions.h"

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"

namespace kube {

namespace {

constexpr size_t kMaxMessage = 32'768;

const char* TextOf(Truth truth) {
  switch (truth) {
    case Truth::kTrue:
      return "True";
    case Truth::kFalse:
      return "False";
    case Truth::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

Json* FindByType(Json* conditions, std::string_view type) {
  for (Json& condition : *conditions) {
    if (base::StringAt(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

}  // namespace

void SetCondition(Json* conditions, const Condition& condition, int64_t observed_generation,
                  int64_t now_ms) {
  if (!conditions->is_array()) *conditions = Json::array();
  Json* place = FindByType(conditions, condition.type);
  if (!place) {
    conditions->push_back({{"type", condition.type}});
    place = &conditions->back();
  }
  const char* status = TextOf(condition.status);
  bool flipped = base::StringAt(*place, {"status"}) != status;
  if (flipped || base::StringAt(*place, {"lastTransitionTime"}).empty()) {
    // Whole seconds: metav1.Time has no fraction, and the server would drop it.
    (*place)["lastTransitionTime"] = base::FormatTime(now_ms - now_ms % 1000);
  }
  (*place)["status"] = status;
  (*place)["reason"] = condition.reason.empty() ? "Unknown" : condition.reason;
  (*place)["message"] = base::Ellipsize(condition.message, kMaxMessage);
  (*place)["observedGeneration"] = observed_generation;
}

std::optional<Condition> FindCondition(const Json& conditions, std::string_view type) {
  if (!conditions.is_array()) return std::nullopt;
  for (const Json& condition : conditions) {
    if (base::StringAt(condition, {"type"}) != type) continue;
    std::string status = base::StringAt(condition, {"status"});
    Truth truth = status == "True"    ? Truth::kTrue
                  : status == "False" ? Truth::kFalse
                                      : Truth::kUnknown;
    return Condition{std::string(type), truth, base::StringAt(condition, {"reason"}),
                     base::StringAt(condition, {"message"})};
  }
  return std::nullopt;
}

int64_t FalseSinceMs(const Json& object, std::string_view type) {
  const Json* conditions = base::At(object, {"status", "conditions"});
  if (!conditions || !conditions->is_array()) return 0;
  for (const Json& condition : *conditions) {
    if (base::StringAt(condition, {"type"}) != type ||
        base::StringAt(condition, {"status"}) != "False")
      continue;
    const auto since = base::ParseTime(base::StringAt(condition, {"lastTransitionTime"}));
    return since ? *since : 0;
  }
  return 0;
}

}  // namespace kube
