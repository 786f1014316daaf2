// Ours carry the label app.kubernetes.io/part-of=agent-memory.
#include "operator/crds/installed_crds.h"

#include "lib/base/process/log.h"

namespace controller {

base::Status CheckInstalledCrds(kube::KubeClient& client, bool adopt) {
  for (const char* plural : {"agents", "agenttools", "agentruns", "memoryservers"}) {
    const std::string name = std::string(plural) + ".agents.agentops.io";
    auto found = client.Get(kube::CustomResourceDefinitions(), {"", name});
    if (!found && found.error().code == base::Code::kDenied) {
      base::LogInfo("CRDs are not checked: no permission", {{"crd", name}});
      return {};
    }
    if (!found && found.error().code == base::Code::kNotFound)
      return base::Error{base::Code::kNotFound, "CustomResourceDefinition " + name +
                                                    " is not installed: kubectl apply -k crds"};
    if (!found) return base::Wrap("look at CustomResourceDefinition " + name, found.error());
    if (adopt || kube::LabelOf(*found, "app.kubernetes.io/part-of") == "agent-memory") continue;
    return base::Error{base::Code::kConflict,
                       "CustomResourceDefinition " + name +
                           " was made by somebody else; --adopt-crds uses it nevertheless, "
                           "kubectl apply -k crds replaces it"};
  }
  return {};
}

}  // namespace controller
