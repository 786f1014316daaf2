// The plan of a reconcile, for all kinds: objects to apply, patches, removals, the status, Events,
// and the delay of the next reconcile. reconcile/execute.h executes it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/kube/object/object.h"
#include "operator/names/names.h"
#include "operator/plan/conditions.h"
#include "operator/pods/causes.h"

namespace controller {

struct ChildKey {
  std::string kind, name;
  auto operator<=>(const ChildKey&) const = default;
};

struct Child {
  kube::Resource resource;
  base::Json object;
  bool may_be_unserved = false;  // clusters may lack this kind: then a refusal, no error
};

// A merge patch, or a JSON patch if `body` is a list. The uid in `body` is a fence.
struct Patch {
  kube::Resource resource;
  kube::ObjectKey key;
  base::Json body;
  std::string subresource = {};
  std::string refusal = {};  // not empty: a refused patch is a Refusal with this key, no error
};
struct Removal {
  kube::Resource resource;
  kube::ObjectKey key;
  std::string uid;  // precondition: deletes only this incarnation
};

// Executed in this order; patches only if every apply succeeded.
struct Plan {
  std::vector<Child> apply;  // by server-side apply; observed objects carry their uid as a fence
  std::vector<Patch> patch;
  std::vector<Removal> remove;
  std::optional<base::Json> status;  // absent: the stored status is current
  std::vector<Notice> events;
  int64_t requeue_after_ms = 0;     // 0: only changes requeue the object
  std::string policy_file;          // policy.json, for render; empty without memory
  bool wants_rollout_slot = false;  // a pod would be updated if ObservedAgent::has_rollout_slot
  bool rolled_out = false;          // every pod is up to date and ready
  std::vector<ChildKey>
      not_in_cache;  // desired children missing in the caches: to be read before an apply
  std::vector<Suspect> suspects;  // objects whose Events are to be read; the status needs them

  bool IsEmpty() const {
    return apply.empty() && patch.empty() && remove.empty() && !status && events.empty();
  }
};

// Whether the class annotation of the object equals `wanted` (empty: no annotation).
inline bool IsOfClass(const base::Json& agent, const std::string& wanted) {
  return kube::AnnotationOf(agent, kClassAnnotation) == wanted;
}

}  // namespace controller
