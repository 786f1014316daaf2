// Builds the review that the API server would make for the same request.
#include "memory/identity/access_reviewer.h"

#include "lib/api/shared_memory.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

Result<bool> ApiAccessReviewer::Review(const AccessQuestion& question) {
  static const kube::Resource kReviews{"authorization.k8s.io", "v1", "SubjectAccessReview",
                                       "subjectaccessreviews", false};
  Json attributes = {{"namespace", question.name_space},
                     {"verb", question.verb},
                     {"group", api::kSharedGroup},
                     {"version", "*"},
                     {"resource", api::kSharedResource}};
  if (!question.owner.empty()) attributes["name"] = question.owner;
  const Json review = {
      {"apiVersion", kReviews.ApiVersion()},
      {"kind", kReviews.kind},
      {"spec",
       {{"user", "system:serviceaccount:" + question.name_space + ":" + question.account},
        {"groups",
         {"system:serviceaccounts", "system:serviceaccounts:" + question.name_space,
          "system:authenticated"}},
        {"resourceAttributes", attributes}}}};
  auto answer = client_.Ask(kReviews, review);
  if (answer) return DecodeAccessReview(*answer);
  if (answer.error().code != Code::kDenied) return answer.error();
  return Error{Code::kUnavailable,
               "the memory server may not review access (a ClusterRoleBinding of its "
               "ServiceAccount to system:auth-delegator is missing)"};
}

// Errors of the evaluation are in evaluationError beside the decision, such as a RoleBinding to a
// missing Role, which grants nothing.
Result<bool> DecodeAccessReview(const Json& answer) {
  const Json* allowed = base::At(answer, {"status", "allowed"});
  if (!allowed || !allowed->is_boolean())
    return Error{Code::kUnavailable, "the API server's answer is not a reviewed access"};
  return allowed->get<bool>();
}

}  // namespace memory
