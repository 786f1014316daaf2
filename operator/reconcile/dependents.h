// An index of the objects that depend on a referenced object (an Agent on a Service, a run on an
// Agent), so that a change requeues only those. Any thread.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/kube/object/object.h"

namespace controller {

class Dependents {
 public:
  // Replaces the targets of `agent`; empty: forgets it. To be called before reading the targets, to
  // miss no change in between.
  void Set(const kube::ObjectKey& agent, const std::set<kube::ObjectKey>& targets);
  std::vector<kube::ObjectKey> Of(const kube::ObjectKey& target) const;

 private:
  struct Index {
    std::map<kube::ObjectKey, std::set<kube::ObjectKey>> agents_of, targets_of;
  };
  base::Guarded<Index> index_;
};

}  // namespace controller
