// Reads at the start. The result holds until the next start: a watch of a kind that the API server
// does not serve would fail forever.
#include "operator/probes/admission_probe.h"

#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

constexpr const char* kRemedy =
    "; install the chart with foreignPods.enabled=true, then restart the operator";

ForeignPods Not(std::string reason, std::string message) {
  return {"", "", std::move(reason), std::move(message)};
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
  return ForeignPods{policy, "", "Served", ""};
}

base::Result<ForeignPods> ProbeInjection(kube::KubeClient& client, const InjectionWish& wish,
                                         const std::vector<std::string>& name_spaces) {
  const bool by_webhook = !wish.webhook.empty() && wish.mode != "policy";
  if (!by_webhook)
    return ProbeForeignPods(client, wish.mode == "webhook" ? "" : wish.policy, name_spaces);
  if (wish.mode == "auto" && !wish.policy.empty()) {
    auto found = ProbeForeignPods(client, wish.policy, name_spaces);
    if (!found || found->Served()) return found;
  }
  if (!name_spaces.empty())
    return Not("SingleNamespaces",
               "this operator serves single namespaces and has no webhook for the whole cluster");
  auto found = client.Get(MutatingWebhooks(), {"", wish.webhook});
  if (found) return ForeignPods{"", wish.webhook, "Served", ""};
  if (!IsAnswer(found.error())) return found.error();
  return Not(
      found.error().code == base::Code::kDenied ? "NotAllowed" : "WebhookMissing",
      "MutatingWebhookConfiguration " + wish.webhook + ": " + found.error().message + kRemedy);
}

}  // namespace controller
