// The choice of policy or webhook, by the settings and by the objects in the API server.
#include "operator/probes/admission_probe.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_cluster.h"
#include "operator/admission/certificate_keeper.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

class AdmissionProbe : public testing::Test {
 protected:
  AdmissionProbe() : client_(cluster_) {
    for (const kube::Resource& kind :
         {InjectionPolicies(), InjectionBindings(), MutatingWebhooks()})
      cluster_.Serve(kind);
  }
  void Give(const kube::Resource& resource) {
    cluster_.Put({{"apiVersion", resource.ApiVersion()},
                  {"kind", resource.kind},
                  {"metadata", {{"name", "ours"}}}});
  }
  std::string Way(const std::string& mode, const std::vector<std::string>& name_spaces = {}) {
    const auto found = ProbeInjection(client_, {mode, "ours", "ours"}, name_spaces);
    if (!found) return found.error().message;
    if (!found->Served()) return found->reason;
    return found->policy.empty() ? "webhook" : "policy";
  }

  testing::FakeCluster cluster_;
  kube::KubeClient client_;
};

TEST_F(AdmissionProbe, PolicyWinsUnlessWebhookIsRequested) {
  Give(InjectionPolicies());
  Give(MutatingWebhooks());
  EXPECT_EQ(Way("auto"), "policy");
  EXPECT_EQ(Way("policy"), "policy");
  EXPECT_EQ(Way("webhook"), "webhook");
}

TEST_F(AdmissionProbe, WebhookServesWithoutPolicy) {
  Give(MutatingWebhooks());
  EXPECT_EQ(Way("auto"), "webhook");
  EXPECT_EQ(Way("policy"), "PolicyMissing");
  EXPECT_EQ(Way("auto", {"a"}), "SingleNamespaces");
}

TEST_F(AdmissionProbe, MissingOrForbiddenObjectIsNamed) {
  EXPECT_EQ(Way("auto"), "WebhookMissing");
  cluster_.Inject({"GET", "webhookconfigurations", 403, 0, false, 1});
  EXPECT_EQ(Way("webhook"), "NotAllowed");
  cluster_.Inject({"GET", "webhookconfigurations", 503, 0, false, 1});
  EXPECT_FALSE(ProbeInjection(client_, {"webhook", "", "ours"}, {}));
}

}  // namespace
}  // namespace controller
