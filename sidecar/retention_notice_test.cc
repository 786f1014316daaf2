// When the memory server is told the rules of retention, and that they arrive.
#include "sidecar/retention_notice.h"

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

api::Policy PolicyWith(const char* ttl, const std::string& url = "http://m") {
  api::Policy policy;
  policy.project = "my project";
  policy.server_url = url;
  if (ttl) policy.retention.push_back({"tool", "project", ttl, 7});
  return policy;
}

TEST(RetentionNotice, ToldWhenItChangesAndOnceAStart) {
  const api::Policy none = PolicyWith(nullptr), day = PolicyWith("24h"), week = PolicyWith("168h");
  auto notice = RetentionNotice(nullptr, day, 5);
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->method + " " + notice->path, "PUT /retention?project=my%20project");
  EXPECT_EQ(*base::ParseJson(notice->body),
            *base::ParseJson(R"({"retention": [{"type": "tool", "scope": "project", "ttl": "24h",
                                                "maxRows": 7}]})"));
  EXPECT_EQ(notice->destination, "http://m");
  EXPECT_FALSE(RetentionNotice(&day, day, 5));
  EXPECT_TRUE(RetentionNotice(&day, week, 5));
  EXPECT_TRUE(RetentionNotice(&day, PolicyWith("24h", "http://other"), 5)) << "another server";
  auto back = RetentionNotice(&day, none, 5);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->body, R"({"retention":[]})");
}

TEST(RetentionNotice, AnAgentWithoutRulesTakesNoneFromOthersOfItsProject) {
  const api::Policy none = PolicyWith(nullptr);
  EXPECT_FALSE(RetentionNotice(nullptr, none, 5));
  EXPECT_FALSE(RetentionNotice(&none, none, 5));
  api::Policy elsewhere = PolicyWith("24h");
  elsewhere.project = "another";
  EXPECT_FALSE(RetentionNotice(&elsewhere, none, 5));
}

using RetentionNotices = SidecarTest;

TEST_F(RetentionNotices, ReachTheServerInOrderThoughItWasAway) {
  auto rules = [&](const char* ttl) {
    base::Json list = base::Json::array();
    if (ttl) list.push_back({{"type", "tool"}, {"ttl", ttl}});
    return PolicyText(memory_.url(), {{"memory", {{"retention", list}}}});
  };
  auto told = [&] {
    return memory_.With([](StubMemory& stub) {
      std::string ttls;
      for (const StubMemory::Call& call : stub.calls) {
        if (call.method != "PUT" || call.target != "/retention?project=coder") continue;
        const base::Json list = base::ParseJson(call.body)->at("retention");
        ttls += (list.empty() ? "none" : list[0].at("ttl").get<std::string>()) + " ";
      }
      return ttls;
    });
  };
  auto in_force = [&](const std::string& text) {
    directory_.Write("policy.json", text);
    return Until([&] { return AskAdmin("/v1/policy").body["digest"] == api::PolicyDigest(text); });
  };
  EXPECT_EQ(told(), "") << "no rules, nothing said";
  memory_.Down();
  ASSERT_TRUE(in_force(rules("24h")));
  ASSERT_TRUE(in_force(rules("48h")));
  memory_.Up();
  EXPECT_TRUE(Until([&] { return told() == "24h 48h "; })) << told();
  Start();
  EXPECT_TRUE(Until([&] { return told().starts_with("24h 48h 48h "); })) << told();
  ASSERT_TRUE(in_force(rules(nullptr)));
  EXPECT_TRUE(Until([&] { return told().ends_with("48h none "); })) << told();
  // Taken away while the pod is down: the policy that was kept says what the server was told.
  ASSERT_TRUE(in_force(rules("72h")));
  EXPECT_TRUE(Until([&] { return told().ends_with("72h "); })) << told();
  running_.reset();
  directory_.Write("policy.json", rules(nullptr));
  Start();
  EXPECT_TRUE(Until([&] { return told().ends_with(" none "); })) << told();
}

}  // namespace
}  // namespace sidecar
