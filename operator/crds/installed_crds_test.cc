// The start waits for CRDs that are missing or in deletion.
#include "operator/crds/installed_crds.h"

#include <gtest/gtest.h>

#include <string>

#include "lib/testing/fake_cluster.h"

namespace controller {
namespace {

using base::Json;

constexpr CrdPatience kLong{600'000, 1}, kNone{0, 1};

class InstalledCrds : public testing::Test {
 protected:
  InstalledCrds() {
    for (const char* plural : {"agents", "agenttools", "agentruns", "memoryservers"}) Put(plural);
  }
  void Put(const std::string& plural, const std::string& part_of = "agent-memory",
           Json finalizers = Json::array()) {
    cluster_.Put({{"apiVersion", kube::CustomResourceDefinitions().ApiVersion()},
                  {"kind", "CustomResourceDefinition"},
                  {"metadata",
                   {{"name", plural + ".agents.agentops.io"},
                    {"finalizers", std::move(finalizers)},
                    {"labels", {{"app.kubernetes.io/part-of", part_of}}}}}});
  }
  testing::FakeCluster cluster_;
  kube::KubeClient client_{cluster_, {}};
};

TEST_F(InstalledCrds, WaitsForACrdThatAppears) {
  cluster_.Inject({"GET", "agentruns.agents", 404, 0, false, 5});
  EXPECT_TRUE(CheckInstalledCrds(client_, false, kLong));
  cluster_.Inject({"GET", "agentruns.agents", 404, 0, false, 5});
  const auto missing = CheckInstalledCrds(client_, false, kNone);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::Code::kNotFound);
  EXPECT_NE(missing.error().message.find("agentruns.agents.agentops.io is not installed"),
            std::string::npos);
}

TEST_F(InstalledCrds, DeletedCrdCountsAsMissing) {
  Put("agents", "agent-memory", {"customresourcecleanup.apiextensions.k8s.io"});
  ASSERT_TRUE(
      client_.Delete(kube::CustomResourceDefinitions(), {"", "agents.agents.agentops.io"}, {}));
  const auto leaving = CheckInstalledCrds(client_, false, kNone);
  ASSERT_FALSE(leaving);
  EXPECT_NE(leaving.error().message.find("is being deleted"), std::string::npos);
}

TEST_F(InstalledCrds, DoesNotWaitForForeignCrd) {
  Put("agents", "other");
  const auto foreign = CheckInstalledCrds(client_, false, kLong);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, base::Code::kConflict);
  EXPECT_TRUE(CheckInstalledCrds(client_, true, kLong));
}

}  // namespace
}  // namespace controller
