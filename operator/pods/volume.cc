// Annotates claims with their owner's UID, so that a later object of that name recognizes them.
#include "operator/pods/volume.h"

#include "lib/kube/object/quantity.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;
using kube::Truth;

std::string CreationTime(const Json& object) {
  return base::StringAt(object, {"metadata", "creationTimestamp"});
}

// The kind in lower case, for kubectl commands.
std::string WordOf(std::string kind) {
  for (char& c : kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return kind;
}

}  // namespace

ClaimFinding ClassifyClaim(const std::optional<Json>& claim, const Json& owner, bool has_workload,
                           bool adopt) {
  if (!claim) return {};
  const std::string from = kube::AnnotationOf(*claim, kRetainedFrom);
  if (from == kube::UidOf(owner)) return {ClaimState::kOurs, "", false};
  // A claim without the annotation is ours if our workload exists, or if it is younger than the
  // owner. RFC 3339 in UTC with whole seconds: text order is time order.
  const bool made_for_us =
      from.empty() && (has_workload || CreationTime(*claim) > CreationTime(owner));
  if (made_for_us || adopt) return {ClaimState::kOurs, "", true};
  return {ClaimState::kLeftover, from, false};
}

Json ClaimMark(const Json& claim, const Json& owner) {
  return {{"metadata",
           {{"uid", kube::UidOf(claim)}, {"annotations", {{kRetainedFrom, kube::UidOf(owner)}}}}}};
}

bool StorageDiffers(const Json* workload, const api::AgentStorage& wished) {
  const Json* templates =
      workload ? base::At(*workload, {"spec", "volumeClaimTemplates"}) : nullptr;
  if (!templates || !templates->is_array() || templates->empty()) return false;
  const Json& spec = templates->front();
  const std::string size = base::StringAt(spec, {"spec", "resources", "requests", "storage"}),
                    storage_class = base::StringAt(spec, {"spec", "storageClassName"});
  return !kube::SameQuantity(size, wished.size) ||
         (!wished.storage_class.empty() && storage_class != wished.storage_class);
}

kube::Condition VolumeReady(const Json& owner, const std::optional<Json>& claim,
                            const ClaimFinding& finding, const std::vector<Cause>& causes) {
  const auto& [state, from, mark] = finding;
  const kube::ObjectKey key = kube::KeyOf(owner);
  const std::string name = ClaimName(key.name), kind = base::StringAt(owner, {"kind"});
  if (state == ClaimState::kLeftover)
    return {"VolumeReady", Truth::kFalse, "VolumeNotAdopted",
            "claim " + name + " is left from an earlier " + kind + " of this name" +
                (from.empty() ? "" : " (UID " + from + ")") + ". To adopt it: kubectl patch " +
                WordOf(kind) + " -n " + key.name_space + " " + key.name +
                " --type merge -p '{\"spec\":{\"storage\":{\"adopt\":true}}}'. "
                "To delete it with all that it holds: kubectl delete pvc -n " +
                key.name_space + " " + name};
  if (!claim)
    return {"VolumeReady", Truth::kUnknown, "Progressing", "claim " + name + " is not there yet"};
  const std::string phase = base::StringAt(*claim, {"status", "phase"}, "Pending");
  if (phase == "Lost")
    return {"VolumeReady", Truth::kFalse, "VolumeLost", "claim " + name + " has lost its volume"};
  for (const Cause& cause : causes)
    if (phase == "Pending" && cause.kind == kube::PersistentVolumeClaims().kind)
      return {"VolumeReady", Truth::kFalse, cause.reason, cause.message};
  if (phase != "Bound")
    return {"VolumeReady", Truth::kUnknown, "Progressing", "claim " + name + " is " + phase};
  return {"VolumeReady", Truth::kTrue, "Bound", "claim " + name + " is bound"};
}

}  // namespace controller
