// Finds uninjected pods (foreign pods with an Agent's label that were created without a sidecar),
// and those of them that may be replaced. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/pods/foreign_pods.h"

namespace controller {

struct SkippedPod {
  std::string name, uid;
  base::Json regarding;  // of its Event's object (controller or pod): apiVersion, kind, metadata
  Skip skip;
};

struct UninjectedPods {
  struct Next {
    kube::ObjectKey key;
    std::string uid;
  };
  size_t count = 0;  // alive, without a sidecar, and not skipped
  size_t lasting =
      0;  // of `count`: never replaced, as no controller would recreate them with a sidecar
  std::vector<std::string> names;   // the first three
  std::vector<SkippedPod> skipped;  // pods that cannot have a sidecar
  std::set<std::string> injected;   // uids of ready pods with a sidecar
  std::optional<Next> next;         // the pod to replace now
};

// `pods`: all with one Agent's label. `injected_since`: when injection began (like
// creationTimestamp), empty: it has not. A pod is replaced only if it is not newer, so that pods
// that stay without a sidecar are not replaced forever; if a controller other than a Job recreates
// it; and while every injected pod is ready, so that a failing replacement is the last one.
UninjectedPods FindUninjected(const std::vector<base::Json>& pods,
                              const std::string& injected_since);

// The message of the condition; empty: no uninjected pods.
std::string DescribeUninjected(const UninjectedPods& uninjected, const kube::ObjectKey& agent,
                               bool replaced);

// Keeps the fields of a pod that FindUninjected reads.
void PruneForeignPod(base::Json& pod);

bool WantsUninjectedReplaced(const base::Json& agent);  // spec.injection.replaceMissedPods

}  // namespace controller
