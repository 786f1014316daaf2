// The faults must equal those of the validating policy in charts/agent-memory.
#include "operator/pods/foreign_pods.h"

#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"

namespace controller {
namespace {

using base::Json;

bool IsWindows(const Json& pod) {
  return base::StringAt(pod, {"spec", "os", "name"}) == "windows" ||
         base::StringAt(pod, {"spec", "nodeSelector", "kubernetes.io/os"}) == "windows";
}

}  // namespace

bool WantsForeignPods(const api::Agent& agent) {
  const Json* wished = base::At(agent.spec, {"injection", "foreignPods"});
  return agent.memory && wished && *wished == true;
}

kube::ObjectKey AgentOfBinding(const base::Json& object) {
  if (base::StringAt(object, {"kind"}) != InjectionBindings().kind ||
      kube::LabelOf(object, kManagedByLabel) != kManagedBy)
    return {};
  return {base::StringAt(object, {"spec", "paramRef", "namespace"}),
          kube::LabelOf(object, kAgentLabel)};
}

Skip SkipOf(const base::Json& pod) {
  const Json* host_network = base::At(pod, {"spec", "hostNetwork"});
  if (host_network && *host_network == true)
    return {"HostNetwork",
            "it has hostNetwork: every process of the node's network could use its memory"};
  if (IsWindows(pod)) return {"Windows", "it is for Windows, and the sidecar is for Linux"};
  if (base::At(pod, {"metadata", "annotations", "kubernetes.io/config.mirror"}))
    return {"StaticPod", "it is the mirror of a static pod, which the API server cannot change"};
  return {};
}

std::string ForeignPodFault(const base::Json& pod) {
  const Json* user = base::At(pod, {"spec", "securityContext", "runAsUser"});
  if (user && *user == 0)
    return "its spec.securityContext.runAsUser is 0, and the sidecar must not run as root: set it "
           "on "
           "the containers that need it";
  if (const Json* spec = base::At(pod, {"spec"});
      spec && FindNamed(*spec, "containers", kSidecarContainer))
    return "it has a container called memory: that name belongs to the sidecar";
  return "";
}

}  // namespace controller
