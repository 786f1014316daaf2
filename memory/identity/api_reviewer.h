// Asks the API server about a token: TokenReview of authentication.k8s.io/v1.
#pragma once

#include "lib/kube/client/kube_client.h"
#include "memory/identity/token_reviewer.h"

namespace memory {

class ApiTokenReviewer : public TokenReviewer {
 public:
  // `client` outlives this; its time-out is that of a review.
  ApiTokenReviewer(kube::KubeClient& client, std::vector<std::string> audiences)
      : client_(client), audiences_(std::move(audiences)) {}
  base::Result<memory::Review> Look(const std::string& token) override;

 private:
  kube::KubeClient& client_;
  const std::vector<std::string> audiences_;
};

}  // namespace memory
