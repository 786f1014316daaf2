// What a plan says, of whatever kind its object is: what to apply, patch and remove, the status,
// the Events, and when to look again. reconcile/execute.h carries it out. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/kube/object/object.h"
#include "operator/plan/conditions.h"

namespace controller {

struct ChildKey {
  std::string kind, name;
  auto operator<=>(const ChildKey&) const = default;
};

struct Child {
  kube::Resource resource;
  base::Json object;
  bool may_be_unserved = false;  // not every cluster has this kind: that is a refusal, no error
};

// A merge patch, or a JSON patch when `body` is a list; fenced by a uid in it.
struct Patch {
  kube::Resource resource;
  kube::ObjectKey key;
  base::Json body;
  std::string subresource = {};
  std::string refusal = {};  // not empty: under this name a refusal is remembered, not an error
};
struct Removal {
  kube::Resource resource;
  kube::ObjectKey key;
  std::string uid;  // only this incarnation
};

// Carried out in this order. Patches only when every apply went well.
struct Plan {
  std::vector<Child> apply;  // server-side; objects that exist carry their uid as a fence
  std::vector<Patch> patch;
  std::vector<Removal> remove;
  std::optional<base::Json> status;  // absent: what is stored is right
  std::vector<Notice> events;
  int64_t requeue_after_ms = 0;     // 0: nothing to wait for but changes
  std::string policy_file;          // policy.json, for render; empty without memory
  bool wants_rollout_slot = false;  // a pod would be updated if ObservedAgent::has_rollout_slot
  bool rolled_out = false;          // every pod is up to date and ready
  std::vector<ChildKey>
      not_in_cache;  // children that are wanted and were not observed: look before applying

  bool IsEmpty() const;
};

// "class" of the operator that the Agent asks for is `wanted` (empty: asks for none).
bool IsOfClass(const base::Json& agent, const std::string& wanted);

}  // namespace controller
