// The policy of a new user.
#include "client/laptop/starter_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

TEST(StarterPolicyTest, IsAPolicyAndDeniesNothing) {
  const auto made = PolicyFor(StarterPolicy(), "http://127.0.0.1:7", "billing");
  ASSERT_TRUE(made) << made.error().message;
  const auto policy = api::DecodePolicy(*base::ParseJson(*made));
  EXPECT_EQ(policy->server_url, "http://127.0.0.1:7");
  EXPECT_EQ(policy->project, "billing");
  EXPECT_TRUE(policy->remember_prompts && policy->save_commits && policy->save_statements &&
              policy->ask_to_save && policy->session_digest && policy->remember_everywhere);
  EXPECT_FALSE(policy->allow_global) << "the agent of one repository must not write into all";
  EXPECT_FALSE(Denies(StarterPolicy()));
  EXPECT_TRUE(Denies(R"({"version": 1, "toolHooks": {"blockedCommands": ["rm"]}})"));
  EXPECT_TRUE(Denies("not JSON")) << "what cannot be read may deny";
  EXPECT_FALSE(PolicyFor(R"({"version": 1, "memory": {"contextLimt": 1}})", "", ""));
  EXPECT_FALSE(PolicyFor(R"({"version": 1, "memory": 7})", "", ""));
}

// client/laptop/testdata/starter-policy-N.json, oldest first; the last one is this version's.
std::vector<std::string> StarterPolicies() {
  std::vector<std::string> all;
  for (int i = 1;; ++i) {
    auto text =
        base::ReadFile("client/laptop/testdata/starter-policy-" + std::to_string(i) + ".json");
    if (!text) return all;
    all.push_back(std::move(*text));
  }
}

TEST(StarterPolicyTest, TheOnesOfEarlierVersionsAreKnown) {
  std::vector<std::string> all = StarterPolicies();
  ASSERT_GE(all.size(), 8u);
  EXPECT_EQ(all.back(), StarterPolicy())
      << "a changed starter policy: keep the one before in testdata, and its hash in the table";
  all.pop_back();
  for (const std::string& earlier : all) {
    EXPECT_TRUE(IsEarlierStarter(earlier)) << earlier;
    const base::Json json = *base::ParseJson(earlier);
    EXPECT_TRUE(IsEarlierStarter(json.dump(4))) << "white space is no edit";
    base::Json edited = json;
    edited["memory"]["contextLimit"] = 6;
    EXPECT_FALSE(IsEarlierStarter(edited.dump())) << earlier;
    edited = json;
    edited["toolHooks"]["blockedCommands"].push_back("shred");
    EXPECT_FALSE(IsEarlierStarter(edited.dump())) << earlier;
    EXPECT_FALSE(AbsentDefaults(earlier).empty()) << earlier;
  }
  for (const char* other : {"", "{", "[]", "7", "null", "{}", R"({"version": 1})"})
    EXPECT_FALSE(IsEarlierStarter(other)) << other;
  EXPECT_FALSE(IsEarlierStarter(StarterPolicy()));
}

TEST(StarterPolicyTest, AbsentDefaultsAreNamedAndThoseThatAreOffAreNot) {
  using Fields = std::vector<std::string>;
  EXPECT_EQ(AbsentDefaults(StarterPolicy()), Fields());
  EXPECT_EQ(AbsentDefaults(StarterPolicies()[6]), Fields({"rememberEverywhere"}));
  base::Json edited = *base::ParseJson(StarterPolicy());
  edited["memory"]["saveCommits"] = false;
  edited["memory"].erase("saveStatements");
  edited["memory"].erase("askToSave");
  EXPECT_EQ(AbsentDefaults(edited.dump()), Fields({"askToSave", "saveStatements"}));
  for (const char* without : {"{}", R"({"memory": {}})", R"({"memory": 7})"})
    EXPECT_EQ(AbsentDefaults(without).size(), 8u) << without;
  for (const char* none : {"", "{", "[]", "null"})
    EXPECT_EQ(AbsentDefaults(none), Fields()) << none;
}

}  // namespace
}  // namespace client
