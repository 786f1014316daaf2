// Two maps, each the inverse of the other.
#include "operator/reconcile/dependents.h"

namespace controller {

void Dependents::Set(const kube::ObjectKey& agent, const std::set<kube::ObjectKey>& targets) {
  index_.With([&](Index& index) {
    for (const kube::ObjectKey& old : index.targets_of[agent]) {
      auto at = index.agents_of.find(old);
      if (at == index.agents_of.end()) continue;
      at->second.erase(agent);
      if (at->second.empty()) index.agents_of.erase(at);
    }
    if (targets.empty()) {
      index.targets_of.erase(agent);
      return;
    }
    index.targets_of[agent] = targets;
    for (const kube::ObjectKey& target : targets) index.agents_of[target].insert(agent);
  });
}

std::vector<kube::ObjectKey> Dependents::Of(const kube::ObjectKey& target) const {
  return index_.With([&](const Index& index) -> std::vector<kube::ObjectKey> {
    auto at = index.agents_of.find(target);
    if (at == index.agents_of.end()) return {};
    return {at->second.begin(), at->second.end()};
  });
}

}  // namespace controller
