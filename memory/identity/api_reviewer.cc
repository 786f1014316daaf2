// One POST a review. Needs the verb create on tokenreviews: ClusterRole system:auth-delegator.
#include "memory/identity/api_reviewer.h"

namespace memory {

using base::Json;

base::Result<Review> ApiTokenReviewer::Look(const std::string& token) {
  static const kube::Resource kTokenReviews{"authentication.k8s.io", "v1", "TokenReview",
                                            "tokenreviews", false};
  const Json question = {{"apiVersion", kTokenReviews.ApiVersion()},
                         {"kind", kTokenReviews.kind},
                         {"spec", {{"token", token}, {"audiences", audiences_}}}};
  auto answer = client_.Ask(kTokenReviews, question);
  // The API server decided that this is no token: no outage.
  if (!answer && answer.error().code == base::Code::kInvalid)
    return Review{false, "", "the API server does not take this for a token"};
  if (!answer) return answer.error();
  return DecodeTokenReview(*answer, audiences_);
}

}  // namespace memory
