// Which Agents look at which Service or AgentTool, so that a change of one wakes the right Agents
// and no others. Any thread.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/kube/object/object.h"

namespace controller {

class Dependents {
 public:
  // `agent` now looks at `targets` and at nothing else; none: forget it. Call it before reading the
  // targets, or a change in between is missed.
  void Set(const kube::ObjectKey& agent, const std::set<kube::ObjectKey>& targets);
  std::vector<kube::ObjectKey> Of(const kube::ObjectKey& target) const;

 private:
  struct Index {
    std::map<kube::ObjectKey, std::set<kube::ObjectKey>> agents_of, targets_of;
  };
  base::Guarded<Index> index_;
};

}  // namespace controller
