// Two reads at start. What they find stays so until the next start: a watch of a kind that is not
// served would fail for ever.
#include "operator/admission_probe.h"

#include "operator/names.h"

namespace controller {
namespace {

constexpr const char* kRemedy =
    "; install the chart with foreignPods.enabled=true on Kubernetes 1.36 or newer, then restart "
    "the operator";

ForeignPods Not(std::string reason, std::string message) {
  return {"", std::move(reason), std::move(message)};
}

bool IsAnswer(const base::Error& error) {
  return error.code == base::Code::kNotFound || error.code == base::Code::kDenied;
}

}  // namespace

base::Result<ForeignPods> ProbeForeignPods(kube::KubeClient& client, const std::string& policy,
                                           const std::vector<std::string>& name_spaces) {
  if (policy.empty()) return ForeignPods{};
  if (!name_spaces.empty())
    return Not("SingleNamespaces",
               "this operator serves single namespaces and binds no policy of the whole cluster");
  auto found = client.Get(InjectionPolicies(), {"", policy});
  if (!found && !IsAnswer(found.error())) return found.error();
  if (!found)
    return Not(found.error().code == base::Code::kDenied ? "NotAllowed" : "PolicyMissing",
               "MutatingAdmissionPolicy " + policy + ": " + found.error().message + kRemedy);
  kube::Selection ours;
  ours.label_selector = kAgentLabel;
  auto bindings = client.List(InjectionBindings(), ours, 1);
  if (!bindings && !IsAnswer(bindings.error())) return bindings.error();
  if (!bindings)
    return Not("NotAllowed", "bindings of MutatingAdmissionPolicy " + policy + ": " +
                                 bindings.error().message + kRemedy);
  return ForeignPods{policy, "Served", ""};
}

}  // namespace controller
