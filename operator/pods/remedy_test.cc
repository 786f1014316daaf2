// What each kind of refusal says that a person can set.
#include "operator/pods/remedy.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

TEST(Remedy, KnownRefusalsNameTheRemedy) {
  struct Case {
    const char *words, *remedy;
  };
  const Case kCases[] = {
      {R"(pods "a-0" is forbidden: failed quota: cpu: must specify limits.cpu for: agent,memory)",
       "ResourceQuota cpu asks for in spec.resources, and for container memory in "
       "spec.sidecar.resources"},
      {R"(pods "a-0" is forbidden: exceeded quota: few, requested: pods=1, used: pods=3, limited: pods=3)",
       "raise ResourceQuota few"},
      {R"(create Claim data-a-0 for Pod a-0 in StatefulSet a failed error: persistentvolumeclaims "data-a-0" is forbidden: exceeded quota: disk, requested: requests.storage=1Gi)",
       "raise ResourceQuota disk"},
      {R"(pods "a-0" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [x]}])",
       "priorityClassName"},
      {R"(pods "a-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true)",
       "pod-security.kubernetes.io/enforce"},
      {R"(pods "a-0" is forbidden: [minimum memory usage per Container is 1Gi, but request is 64Mi])",
       "the namespace's LimitRange"},
      {R"(persistentvolumeclaims "data-a-0" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi)",
       "spec.storage.size within the namespace's LimitRange"},
      {R"(pods "a-0" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 4.0)",
       "within the ratio of the namespace's LimitRange"},
      {R"(Pod "a-0" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1)",
       "not above the limits"},
      {R"(admission webhook "validate.kyverno.svc-fail" denied the request: label team is required)",
       "webhook validate.kyverno.svc-fail objects to"},
      {R"(Internal error occurred: failed calling webhook "inject.example.com": failed to call webhook: Post "https://x": dial tcp: connection refused)",
       "make webhook inject.example.com answer"},
      {R"(pods "a-0" is forbidden: ValidatingAdmissionPolicy 'team' with binding 'team-b' denied request: label team is required)",
       "policy team objects to"},
      {R"(pods "a-0" is forbidden: no PriorityClass with name high was found)",
       "create PriorityClass high"},
      {R"(pods "a-0" is forbidden: pod rejected: RuntimeClass "gvisor" not found)",
       "create RuntimeClass gvisor"},
      {R"(pods "a-0" is forbidden: error looking up service account n/a: serviceaccount "a" not found)",
       "create ServiceAccount a"},
      {R"(pods "a-0" is forbidden: unable to create new content in namespace n because it is being terminated)",
       "use another one"},
      {R"(storageclass.storage.k8s.io "fast" not found)", "create StorageClass fast"},
      {"no persistent volumes available for this claim and no storage class is set",
       "spec.storage.storageClassName"},
      {R"(MountVolume.SetUp failed for volume "x" : secret "tls" not found)", "create Secret tls"},
      {R"(MountVolume.SetUp failed for volume "x" : configmap "cfg" not found)",
       "create ConfigMap cfg"},
      {R"(couldn't find key token in Secret n/api)", "add key token there"},
      {"0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available",
       "spec.resources, or add nodes"},
      {"0/1 nodes are available: 1 node(s) had untolerated taint {gpu: true}",
       "spec.template.spec.tolerations"},
      {"0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector",
       "nodeSelector and affinity"},
      {R"(pods "a-0" is forbidden: some plugin of the future)", "what admission objects to"},
      {"a text of no known kind", ""}};
  for (const Case& one : kCases) {
    const std::string remedy = RemedyFor(one.words);
    EXPECT_NE(remedy.find(one.remedy), std::string::npos) << one.words << "\n" << remedy;
    EXPECT_EQ(remedy.empty(), std::string(one.remedy).empty()) << one.words;
    EXPECT_EQ(remedy.find('%'), std::string::npos) << remedy;
  }
}

}  // namespace
}  // namespace controller
