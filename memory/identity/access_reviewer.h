// The interface to the cluster's authorizer: the API server, or a fake in tests.
#pragma once

#include <string>

#include "lib/kube/client/kube_client.h"

namespace memory {

// May the ServiceAccount do `verb` on sharedmemories/`owner` of its namespace? An empty owner: on
// all of them.
struct AccessQuestion {
  std::string name_space, account, verb, owner;
};

class AccessReviewer {
 public:
  virtual ~AccessReviewer() = default;
  // Blocking, with a timeout; any thread. Errors: no answer, neither yes nor no.
  virtual base::Result<bool> Review(const AccessQuestion& question) = 0;
};

// SubjectAccessReview of authorization.k8s.io/v1, one POST a question. Needs the verb create on
// subjectaccessreviews: ClusterRole system:auth-delegator.
class ApiAccessReviewer : public AccessReviewer {
 public:
  explicit ApiAccessReviewer(kube::KubeClient& client) : client_(client) {}  // outlives this
  base::Result<bool> Review(const AccessQuestion& question) override;

 private:
  kube::KubeClient& client_;
};

// The status of such a review. kUnavailable: it is none.
base::Result<bool> DecodeAccessReview(const base::Json& answer);

}  // namespace memory
