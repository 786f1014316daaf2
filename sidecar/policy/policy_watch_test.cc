// Shows that a policy is replaced as a whole, whatever way its file changes, that a bad file keeps
// the last good policy, also over a restart, and the reports of readiness and the admin port.
#include "sidecar/policy/policy_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lib/testing/temporary_directory.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;
namespace fs = std::filesystem;

class PolicyWatchTest : public SidecarTest {
 protected:
  std::string Digest() { return AskAdmin("/v1/policy").body["digest"]; }
  bool Becomes(const std::string& text) {
    return Until([&] { return Digest() == api::PolicyDigest(text); });
  }
  static std::string Text(int limit) {
    return PolicyText("http://127.0.0.1:1", {{"memory", {{"contextLimit", limit}}}});
  }
};

TEST_F(PolicyWatchTest, RewriteRenameAndLinkSwapAreDetected) {
  directory_.Write("policy.json", Text(1));
  EXPECT_TRUE(Becomes(Text(1)));
  directory_.Write("next.json", Text(2));
  fs::rename(directory_.path() + "/next.json", directory_.path() + "/policy.json");
  EXPECT_TRUE(Becomes(Text(2)));

  // Like the kubelet: ..data is a link to a directory and is swapped by a rename.
  const std::string root = directory_.path() + "/volume";
  for (const char* version : {"v1", "v2"}) fs::create_directories(root + "/" + version);
  std::ofstream(root + "/v1/policy.json") << Text(3);
  std::ofstream(root + "/v2/policy.json") << Text(4);
  fs::create_symlink("v1", root + "/..data");
  fs::create_symlink("..data/policy.json", root + "/policy.json");
  Start([&](SidecarSettings& settings) { settings.policy = root + "/policy.json"; });
  EXPECT_TRUE(Becomes(Text(3)));
  fs::create_symlink("v2", root + "/..data_tmp");
  fs::rename(root + "/..data_tmp", root + "/..data");
  EXPECT_TRUE(Becomes(Text(4)));
}

TEST_F(PolicyWatchTest, BadFileKeepsLastGoodPolicyAndIsReported) {
  const std::string good = Digest();
  const std::string bad[] = {
      "not json",
      "{}",
      "",
      PolicyText("http://x", {{"memory", {{"contextLimit", 51}}}}),
      PolicyText("http://x", {{"unknown", 1}}),
      PolicyText(
          "http://x",
          {{"toolHooks",
            {{"memorySaveRules", {{{"name", "broken"}, {"tool", "x"}, {"matchOutput", "("}}}}}}})};
  for (const std::string& text : bad) {
    directory_.Write("policy.json", text);
    EXPECT_TRUE(Until([&] { return !AskAdmin("/v1/policy").body["matches_file"].get<bool>(); }))
        << text;
    const Json said = AskAdmin("/v1/policy").body;
    EXPECT_EQ(said["digest"], good);
    EXPECT_FALSE(said["error"].get<std::string>().empty());
    directory_.Write("policy.json", PolicyText(memory_.url()));
    EXPECT_TRUE(Until([&] { return AskAdmin("/v1/policy").body["matches_file"].get<bool>(); }))
        << text;
  }
  EXPECT_EQ(AskAdmin("/readyz").status, 200);
}

TEST_F(PolicyWatchTest, LastGoodPolicySurvivesRestartWithBadFile) {
  const std::string good = Digest();
  directory_.Write("policy.json", "{broken");
  Start();
  EXPECT_EQ(Digest(), good);
  EXPECT_EQ(AskAdmin("/readyz").status, 200);
  EXPECT_EQ(Prompt("go").status, 200);
  fs::remove(directory_.path() + "/policy.json");
  Start();
  EXPECT_EQ(Digest(), good);
}

TEST_F(PolicyWatchTest, RestartReportsBadFileUntilItIsGood) {
  directory_.Write("policy.json", "{broken");
  Start();
  ASSERT_TRUE(Until([&] { return AskAdmin("/v1/policy").body["rejected"] == 1; }));
  const Json said = AskAdmin("/v1/policy").body;
  EXPECT_EQ(said["restored"], true);
  EXPECT_EQ(said["matches_file"], false);
  EXPECT_NE(said["error"].get<std::string>().find("policy.json"), std::string::npos);
  http::ClientRequest request;
  request.target = "/metrics";
  const auto scraped = admin_->Send(request);
  ASSERT_TRUE(scraped);
  EXPECT_NE(scraped->body.find("agent_memory_sidecar_policy_matches_file 0"), std::string::npos);
  EXPECT_NE(scraped->body.find("agent_memory_sidecar_policy_rejected 1"), std::string::npos);
  EXPECT_EQ(Ask("GET", "/v1/status").body["policy"]["restored"], true);
  directory_.Write("policy.json", Text(3));
  EXPECT_TRUE(Becomes(Text(3)));
  EXPECT_EQ(AskAdmin("/v1/policy").body["restored"], false);
}

TEST_F(PolicyWatchTest, RestartRestoresLastGoodPolicy) {
  directory_.Write("policy.json", Text(1));
  ASSERT_TRUE(Becomes(Text(1)));
  directory_.Write("policy.json", Text(2));
  ASSERT_TRUE(Becomes(Text(2)));
  directory_.Write("policy.json", "{\"version\": 2}");
  Start();
  EXPECT_EQ(Digest(), api::PolicyDigest(Text(2)));
}

TEST_F(PolicyWatchTest, EventUsesOnePolicy) {
  auto text = [&](const std::string& name) {
    const Json rule = {{"tool", "bash"}, {"scope", "global"}};
    Json first = rule, second = rule;
    first["name"] = name + "-1";
    second["name"] = name + "-2";
    return PolicyText(memory_.url(), {{"memory", {{"allowGlobal", name == "a"}}},
                                      {"toolHooks", {{"memorySaveRules", {first, second}}}}});
  };
  directory_.Write("policy.json", text("a"));
  Start();
  constexpr int kEvents = 200;
  std::jthread editor([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      const std::string next = text(i % 2 ? "a" : "b");
      directory_.Write("next.json", next);
      fs::rename(directory_.path() + "/next.json", directory_.path() + "/policy.json");
      Becomes(next);
    }
  });
  for (int i = 0; i < kEvents; ++i) {
    ASSERT_EQ(Bash("output " + std::to_string(i), "t" + std::to_string(i)).status, 200);
  }
  ASSERT_TRUE(memory_.WaitForObservations(2 * kEvents));
  editor.request_stop();
  editor.join();
  std::map<std::string, std::set<std::string>> rules_of, scopes_of;
  for (const Json& row : memory_.With([](StubMemory& stub) { return stub.observations; })) {
    const std::string call = row["source"]["tool_call_id"], rule = row["source"]["rule"];
    rules_of[call].insert(rule);
    scopes_of[call].insert(row["scope"]);
    EXPECT_EQ(row["scope"], rule[0] == 'a' ? "global" : "project");
  }
  EXPECT_EQ(rules_of.size(), static_cast<size_t>(kEvents));
  for (const auto& [call, rules] : rules_of) {
    EXPECT_EQ(rules.size(), 2u) << call;
    EXPECT_EQ(scopes_of[call].size(), 1u) << call;
  }
}

TEST_F(PolicyWatchTest, NotReadyUntilAValidPolicyWasSeen) {
  running_.reset();
  testing::TemporaryDirectory empty;
  Start([&](SidecarSettings& settings) {
    settings.policy = empty.path() + "/policy.json";
    settings.data_directory = empty.path() + "/state";
  });
  EXPECT_EQ(AskAdmin("/readyz").status, 503);
  EXPECT_EQ(AskAdmin("/v1/policy").body["in_force"], false);
  empty.Write("policy.json", "{\"version\": 2}");
  ASSERT_TRUE(Until([&] {
    const std::string error = base::StringAt(AskAdmin("/v1/policy").body, {"error"});
    return error.find("version") != std::string::npos;
  }));
  EXPECT_EQ(AskAdmin("/readyz").status, 503);
  EXPECT_EQ(AskAdmin("/livez").status, 200);
  EXPECT_EQ(Prompt("go").status, 503);
  empty.Write("policy.json", Text(5));
  EXPECT_TRUE(Until([&] { return AskAdmin("/readyz").status == 200; }));
  EXPECT_EQ(Prompt("go").status, 200);
  running_.reset();  // before its directory
}

TEST_F(PolicyWatchTest, AdminPortNeverWaits) {
  const std::string digest = Digest();
  const Reply reply = AskAdmin("/v1/policy?wait=" + digest + "&timeout=60s");
  EXPECT_EQ(reply.body["digest"], digest);
  EXPECT_LT(reply.took_ms, 50'000);
}

TEST_F(PolicyWatchTest, MetricsHaveTurnsOutboxAndPolicy) {
  Prompt("go");
  Bash("error: x", "t1");
  ASSERT_TRUE(Drained());
  http::ClientRequest request;
  request.target = "/metrics";
  auto scraped = admin_->Send(request);
  ASSERT_TRUE(scraped);
  for (const char* line :
       {"agent_memory_sidecar_hooks_total{event=\"UserPromptSubmit\"} 1",
        "agent_memory_sidecar_captures_total{rule=\"errors\"} 1",
        "agent_memory_sidecar_outbox_writes{state=\"delivered\"} 2",
        "agent_memory_sidecar_outbox_writes{state=\"pending\"} 0",
        "agent_memory_sidecar_policy_matches_file 1", "agent_memory_sidecar_server_reachable 1"}) {
    EXPECT_NE(scraped->body.find(line), std::string::npos) << line << "\n" << scraped->body;
  }
}

TEST_F(PolicyWatchTest, NewRuleAppliesWithoutRestart) {
  Prompt("go");
  directory_.Write(
      "policy.json",
      PolicyText(memory_.url(),
                 {{"toolHooks", {{"memorySaveRules", {{{"name", "new"}, {"tool", "control"}}}}}}}));
  ASSERT_TRUE(Until([&] { return AskAdmin("/v1/policy").body["reloads"] == 2; }));
  Hook("PostToolUse",
       {{"tool_name", "control"}, {"tool_response", "spoken"}, {"tool_use_id", "t1"}});
  ASSERT_TRUE(memory_.WaitForObservations(1));
  EXPECT_EQ(memory_.With([](StubMemory& stub) { return stub.observations[0]["source"]["rule"]; }),
            "new");
}

}  // namespace
}  // namespace sidecar
