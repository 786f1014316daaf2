// The policy of a new user.
#include "client/laptop/starter_policy.h"

#include <gtest/gtest.h>

#include "lib/api/policy.h"

namespace client {
namespace {

TEST(StarterPolicyTest, IsAPolicyAndDeniesNothing) {
  const auto made = PolicyFor(StarterPolicy(), "http://127.0.0.1:7", "billing");
  ASSERT_TRUE(made) << made.error().message;
  const auto policy = api::DecodePolicy(*base::ParseJson(*made));
  EXPECT_EQ(policy->server_url, "http://127.0.0.1:7");
  EXPECT_EQ(policy->project, "billing");
  EXPECT_TRUE(policy->remember_prompts && policy->save_commits && policy->save_statements &&
              policy->ask_to_save && policy->session_digest);
  EXPECT_FALSE(Denies(StarterPolicy()));
  EXPECT_TRUE(Denies(R"({"version": 1, "toolHooks": {"blockedCommands": ["rm"]}})"));
  EXPECT_TRUE(Denies("not JSON")) << "what cannot be read may deny";
  EXPECT_FALSE(PolicyFor(R"({"version": 1, "memory": {"contextLimt": 1}})", "", ""));
  EXPECT_FALSE(PolicyFor(R"({"version": 1, "memory": 7})", "", ""));
}

}  // namespace
}  // namespace client
