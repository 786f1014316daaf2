// Recognizes its own CRDs by the label app.kubernetes.io/part-of=agent-memory.
#include "operator/crds/installed_crds.h"

#include <chrono>
#include <thread>

#include "lib/base/process/clock.h"
#include "lib/base/process/log.h"

namespace controller {
namespace {

base::Status ReadCrds(kube::KubeClient& client, bool adopt) {
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
    // Its deletion also deletes objects that are applied now.
    if (!base::StringAt(*found, {"metadata", "deletionTimestamp"}).empty())
      return base::Error{base::Code::kNotFound, "CustomResourceDefinition " + name +
                                                    " is being deleted: kubectl apply -k crds"};
    if (adopt || kube::LabelOf(*found, "app.kubernetes.io/part-of") == "agent-memory") continue;
    return base::Error{base::Code::kConflict,
                       "CustomResourceDefinition " + name +
                           " has another owner; --adopt-crds uses it nevertheless, kubectl apply "
                           "-k crds replaces it"};
  }
  return {};
}

}  // namespace

base::Status CheckInstalledCrds(kube::KubeClient& client, bool adopt, const CrdPatience& patience) {
  const int64_t end_ms = base::SystemClock().MonotonicMs() + patience.wait_ms;
  for (std::string logged;;) {
    base::Status found = ReadCrds(client, adopt);
    if (found || found.error().code != base::Code::kNotFound ||
        base::SystemClock().MonotonicMs() >= end_ms)
      return found;
    if (logged != found.error().message)  // each message once
      base::LogInfo("waiting for CRDs", {{"reason", found.error().message}});
    logged = found.error().message;
    std::this_thread::sleep_for(std::chrono::milliseconds(patience.again_ms));
  }
}

}  // namespace controller
