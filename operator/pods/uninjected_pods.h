// Foreign pods that carry an Agent's label and have no sidecar, as they were made before one
// could be put in: which they are, and which of them may be replaced. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/pods/foreign_pods.h"

namespace controller {

struct SkippedPod {
  std::string name, uid;
  base::Json
      regarding;  // apiVersion, kind, metadata of what its Event is about: its controller, or it
  Skip skip;
};

struct UninjectedPods {
  struct Next {
    kube::ObjectKey key;
    std::string uid;
  };
  size_t count = 0;  // alive, without a sidecar, and not skipped
  size_t lasting =
      0;  // of them: those that would not be made again with one, and are never replaced
  std::vector<std::string> names;   // the first three
  std::vector<SkippedPod> skipped;  // no sidecar could serve these
  std::set<std::string> injected;   // uids of those that have a sidecar and are ready
  std::optional<Next> next;         // may be replaced at this moment
};

// Of all pods with one Agent's label. `injected_since`: when new ones began to get a sidecar (as in
// metadata.creationTimestamp), empty: they do not. A pod is replaced only if it is older, so that
// one that stays without is not replaced for ever; if a controller makes it again that is no Job;
// and when every pod that has its sidecar is ready, so that a replacement that goes wrong is the
// last one.
UninjectedPods FindUninjected(const std::vector<base::Json>& pods,
                              const std::string& injected_since);

// For the condition; empty when none is uninjected.
std::string DescribeUninjected(const UninjectedPods& uninjected, const kube::ObjectKey& agent,
                               bool replaced);

// Keeps of a pod what is read here.
void PruneForeignPod(base::Json& pod);

bool WantsUninjectedReplaced(const base::Json& agent);  // spec.injection.replaceMissedPods

}  // namespace controller
