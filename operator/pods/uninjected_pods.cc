// Decides by the present state of the pods, without a history, which a restart would lose.
#include "operator/pods/uninjected_pods.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "lib/kube/object/object.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"

namespace controller {
namespace {

using base::Json;

constexpr size_t kNamed = 3;

bool HasFinished(const Json& pod) {
  const std::string phase = base::StringAt(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool HasSidecar(const Json& pod) {
  const Json* spec = base::At(pod, {"spec"});
  return spec && FindNamed(*spec, "initContainers", kSidecarContainer);
}

bool IsReady(const Json& pod) {
  const Json* conditions = base::At(pod, {"status", "conditions"});
  if (!conditions || !conditions->is_array()) return false;
  return std::any_of(conditions->begin(), conditions->end(), [](const Json& condition) {
    return base::StringAt(condition, {"type"}) == "Ready" &&
           base::StringAt(condition, {"status"}) == "True";
  });
}

// Whether its controller would create another pod that admission accepts and injects. Excludes
// Jobs: their pods would lose their work.
bool IsReplaceable(const Json& pod, const std::string& injected_since) {
  const std::string owner = kube::ControllerOf(pod).kind;
  return !owner.empty() && owner != "Job" &&
         base::StringAt(pod, {"spec", "restartPolicy"}, "Always") == "Always" &&
         base::StringAt(pod, {"metadata", "creationTimestamp"}) <= injected_since &&
         ForeignPodFault(pod).empty();
}

SkippedPod Skipped(const Json& pod, Skip skip) {
  SkippedPod skipped{kube::KeyOf(pod).name, kube::UidOf(pod), {}, std::move(skip)};
  skipped.regarding = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", pod["metadata"]}};
  const Json* owners = base::At(pod, {"metadata", "ownerReferences"});
  if (!owners || !owners->is_array()) return skipped;
  for (const Json& owner : *owners)
    if (const Json* controls = base::At(owner, {"controller"}); controls && *controls == true)
      skipped.regarding = {{"apiVersion", base::StringAt(owner, {"apiVersion"})},
                           {"kind", base::StringAt(owner, {"kind"})},
                           {"metadata",
                            {{"name", base::StringAt(owner, {"name"})},
                             {"uid", base::StringAt(owner, {"uid"})},
                             {"namespace", kube::KeyOf(pod).name_space}}}};
  return skipped;
}

// Only names: FindUninjected reads no other field of a container.
Json Names(const Json& pod, const char* list) {
  Json names = Json::array();
  const Json* containers = base::At(pod, {"spec", list});
  if (containers && containers->is_array())
    for (const Json& container : *containers)
      names.push_back({{"name", base::StringAt(container, {"name"})}});
  return names;
}

}  // namespace

UninjectedPods FindUninjected(const std::vector<Json>& pods, const std::string& injected_since) {
  UninjectedPods uninjected;
  bool settled = true;
  for (const Json& pod : pods) {
    if (HasFinished(pod)) continue;
    if (kube::IsBeingDeleted(pod) || HasSidecar(pod)) {
      const bool stands = !kube::IsBeingDeleted(pod) && IsReady(pod);
      if (stands) uninjected.injected.insert(kube::UidOf(pod));
      settled = settled && stands;
      continue;
    }
    if (Skip skip = SkipOf(pod); !skip.reason.empty()) {
      uninjected.skipped.push_back(Skipped(pod, std::move(skip)));
      continue;
    }
    ++uninjected.count;
    if (uninjected.names.size() < kNamed) uninjected.names.push_back(kube::KeyOf(pod).name);
    if (!IsReplaceable(pod, injected_since))
      ++uninjected.lasting;
    else if (!uninjected.next)
      uninjected.next = UninjectedPods::Next{kube::KeyOf(pod), kube::UidOf(pod)};
  }
  if (!settled) uninjected.next.reset();
  return uninjected;
}

std::string DescribeUninjected(const UninjectedPods& uninjected, const kube::ObjectKey& agent,
                               bool replaced) {
  if (uninjected.count == 0) return "";
  std::string text = std::to_string(uninjected.count) +
                     (uninjected.count == 1 ? " pod has" : " pods have") + " the label " +
                     kMemoryLabel + "=" + agent.name +
                     " and no sidecar, created before injection was possible: " +
                     base::Join(uninjected.names, ", ") +
                     (uninjected.count > uninjected.names.size() ? ", …" : "");
  if (!replaced)
    return text +
           "; delete them, so that their controllers recreate them, or set "
           "spec.injection.replaceMissedPods: true";
  text +=
      "; " + std::to_string(uninjected.count - uninjected.lasting) + " are replaced, one at a time";
  if (uninjected.lasting > 0)
    text += ", " + std::to_string(uninjected.lasting) +
            " are kept, as no controller would recreate them with a sidecar: delete and "
            "create them";
  return text;
}

void PruneForeignPod(Json& pod) {
  kube::DropManagedFields(pod);
  Json spec = {{"containers", Names(pod, "containers")},
               {"initContainers", Names(pod, "initContainers")}};
  for (const char* field : {"hostNetwork", "os", "nodeSelector", "restartPolicy"})
    if (const Json* value = base::At(pod, {"spec", field})) spec[field] = *value;
  if (const Json* user = base::At(pod, {"spec", "securityContext", "runAsUser"}))
    spec["securityContext"] = {{"runAsUser", *user}};
  pod["spec"] = std::move(spec);
  pod["status"] = {
      {"phase", base::StringAt(pod, {"status", "phase"})},
      {"conditions",
       Json::array({{{"type", "Ready"}, {"status", IsReady(pod) ? "True" : "False"}}})}};
}

bool WantsUninjectedReplaced(const base::Json& agent) {
  const Json* wished = base::At(agent, {"spec", "injection", "replaceMissedPods"});
  return wished && *wished == true;
}

}  // namespace controller
