// Injection begins with the creation of the Agent's binding, or with this process for the webhook.
#include "operator/foreign_pods/lookup.h"

#include "operator/names/names.h"
#include "operator/pods/foreign_pods.h"

namespace controller {

using base::Json;
using kube::ObjectKey;

ForeignPodLookup::ForeignPodLookup(Environment& environment)
    : environment_(environment),
      pods_(environment.caches().Of(CachedForeignPods())),
      bindings_(environment.settings().foreign_pods.policy.empty()
                    ? nullptr
                    : &environment.caches().Of(CachedInjectionBindings())) {}

std::vector<Watched> ForeignPodLookup::Watches() const {
  std::vector<Watched> watches = {{pods_, kube::ToLabel(kMemoryLabel)}};
  if (bindings_)
    watches.push_back({*bindings_, [](const kube::Change& change) {
                         return std::vector{AgentOfBinding(change.object)};
                       }});
  return watches;
}

std::string ForeignPodLookup::InjectedSince(const ObjectKey& agent) const {
  if (!bindings_) return environment_.started();
  const auto binding = bindings_->Get({"", InjectionBindingName(agent.name_space, agent.name)});
  return binding && AgentOfBinding(*binding) == agent
             ? base::StringAt(*binding, {"metadata", "creationTimestamp"})
             : "";
}

UninjectedPods ForeignPodLookup::UninjectedOf(const Json& agent) const {
  const Json* wished = base::At(agent, {"spec", "injection", "foreignPods"});
  if (!wished || *wished != true) return {};
  const ObjectKey self = kube::KeyOf(agent);
  return FindUninjected(pods_.ListByLabel(self.name, self.name_space), InjectedSince(self));
}

}  // namespace controller
