// Shows when retention rules are sent to the memory server, and that they arrive.
#include "sidecar/upstream/retention_updates.h"

#include <functional>

#include "lib/testing/temporary_directory.h"
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

using Told = std::vector<PublishedRetention>;

std::string Rules(const api::Policy& policy) {
  return base::DumpJson(api::EncodeRetention(policy.retention));
}

// Renders each update as "project destination rules", in order.
std::vector<std::string> Notices(const Told& told, const api::Policy& now, bool at_start = false) {
  std::vector<std::string> said;
  for (const PublishedRetention& notice : RetentionUpdates(told, now, at_start)) {
    said.push_back(notice.project + " " + notice.destination + " " + notice.rules);
  }
  return said;
}

TEST(RetentionNotice, IsSentOnChangeAndAtStart) {
  const api::Policy none = PolicyWith(nullptr), day = PolicyWith("24h"), week = PolicyWith("168h");
  const Told told = {{"my project", "http://m", Rules(day)}};
  using List = std::vector<std::string>;
  EXPECT_EQ(
      *base::ParseJson(Rules(day)),
      *base::ParseJson(R"([{"type": "tool", "scope": "project", "ttl": "24h", "maxRows": 7}])"));
  EXPECT_EQ(Notices({}, day), List{"my project http://m " + Rules(day)});
  EXPECT_EQ(Notices(told, day), List{});
  EXPECT_EQ(Notices(told, day, true), List{"my project http://m " + Rules(day)});
  EXPECT_EQ(Notices(told, week), List{"my project http://m " + Rules(week)});
  EXPECT_EQ(Notices(told, none), List{"my project http://m "});
}

TEST(RetentionNotice, IsWithdrawnWhereItNoLongerApplies) {
  const api::Policy none = PolicyWith(nullptr), there = PolicyWith("24h", "http://other");
  const Told told = {{"my project", "http://m", Rules(there)}, {"old", "http://m", "[1]"}};
  EXPECT_EQ(Notices(told, there),
            (std::vector<std::string>{"my project http://m ", "old http://m ",
                                      "my project http://other " + Rules(there)}));
  EXPECT_EQ(Notices(told, none),
            (std::vector<std::string>{"old http://m ", "my project http://m "}));
}

TEST(RetentionNotice, PolicyWithoutServerWithdrawsNothing) {
  const api::Policy unresolved = PolicyWith("24h", ""), none = PolicyWith(nullptr, "");
  const api::Policy back = PolicyWith("24h"), later = PolicyWith("24h", "http://other");
  const Told told = {{"my project", "http://m", Rules(back)}};
  for (const bool at_start : {false, true}) {
    EXPECT_TRUE(Notices({}, unresolved, at_start).empty());
    EXPECT_TRUE(Notices(told, unresolved, at_start).empty());
    EXPECT_TRUE(Notices(told, none, at_start).empty());
  }
  EXPECT_TRUE(Notices(told, back).empty()) << "the same server is named again";
  EXPECT_EQ(Notices(told, later),
            (std::vector<std::string>{"my project http://m ",
                                      "my project http://other " + Rules(later)}));
}

TEST(RetentionNotice, AgentWithoutRulesWithdrawsNoOthers) {
  const api::Policy none = PolicyWith(nullptr);
  EXPECT_TRUE(Notices({}, none).empty());
  EXPECT_TRUE(Notices({}, none, true).empty());
}

TEST(RetentionPublisher, RefusedNoticeIsSentOnceOutboxHasSpace) {
  const testing::TemporaryDirectory directory;
  auto state = State::Open(directory.path(), [](const base::Error&) {});
  ASSERT_TRUE(state) << state.error().message;
  const OutboxLimits one_row = {.rows = 1};
  const auto change = [&](const std::function<base::Status(sqlite::Database&)>& work) {
    const base::Status changed = (*state)->Change(work);
    ASSERT_TRUE(changed) << changed.error().message;
  };
  change([&](sqlite::Database& db) {
    OutboxRow row;
    row.lane = "s", row.kind = "observation", row.path = "/observations", row.body = "{}";
    return Enqueue(db, row, one_row);
  });
  int woken = 0;
  RetentionPublisher teller(
      **state, one_row, base::SystemClock(), [] { return PolicyWith("24h"); }, [&] { ++woken; });
  teller.PublishRefused();
  EXPECT_EQ(woken, 0) << "nothing waits";
  teller.Publish();
  teller.PublishRefused();
  EXPECT_EQ(woken, 0) << "there is no room";
  change([](sqlite::Database& db) { return MarkDelivered(db, 1); });
  teller.PublishRefused();
  EXPECT_EQ(woken, 1);
  teller.PublishRefused();
  EXPECT_EQ(woken, 1) << "nothing waits any more";
  change([](sqlite::Database& db) -> base::Status {
    ASSIGN_OR_RETURN(const auto rows, PendingRows(db, 0, 10));
    EXPECT_EQ(rows.size(), 1u);
    if (rows.size() != 1) return {};
    ASSIGN_OR_RETURN(const auto row, LoadRow(db, rows[0].sequence));
    EXPECT_TRUE(row && row->method == "PUT" && row->body.find("24h") != std::string::npos);
    return {};
  });
}

using RetentionUpdates = SidecarTest;

TEST_F(RetentionUpdates, ReachTheServerInOrderAfterOutage) {
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
  // Rules removed while the pod is down: the next start withdraws those that state.db has.
  ASSERT_TRUE(in_force(rules("72h")));
  EXPECT_TRUE(Until([&] { return told().ends_with("72h "); })) << told();
  running_.reset();
  directory_.Write("policy.json", rules(nullptr));
  Start();
  EXPECT_TRUE(Until([&] { return told().ends_with(" none "); })) << told();
}

TEST_F(RetentionUpdates, AreResentOncePolicyNamesAServer) {
  auto policy = [&](const std::string& url) {
    base::Json list = {{{"type", "tool"}, {"ttl", "24h"}}};
    return PolicyText(url, {{"memory", {{"retention", list}}}});
  };
  auto in_force = [&](const std::string& text) {
    directory_.Write("policy.json", text);
    return Until([&] { return AskAdmin("/v1/policy").body["digest"] == api::PolicyDigest(text); });
  };
  auto told = [&] { return memory_.CountCalls("PUT /retention"); };
  ASSERT_TRUE(in_force(policy(memory_.url())));
  ASSERT_TRUE(Until([&] { return told() == 1; }));
  ASSERT_TRUE(in_force(policy("")));
  ASSERT_TRUE(in_force(policy(memory_.url())));
  ASSERT_TRUE(Drained());
  EXPECT_EQ(told(), 1u) << "nothing was taken back, nothing changed";
  ASSERT_TRUE(in_force(policy("")));
  Start();
  ASSERT_TRUE(in_force(policy(memory_.url())));
  EXPECT_TRUE(Until([&] { return told() == 2; })) << "all at a start";
}

TEST_F(RetentionUpdates, AreWithdrawnForAProjectLeftWhileDown) {
  auto policy = [&](const char* project, bool rules) {
    base::Json list = base::Json::array();
    if (rules) list.push_back({{"type", "tool"}, {"ttl", "24h"}});
    return PolicyText(memory_.url(), {{"memory", {{"project", project}, {"retention", list}}}});
  };
  auto last = [&](const std::string& project) {
    return memory_.With([&](StubMemory& stub) {
      std::string body;
      for (const StubMemory::Call& call : stub.calls) {
        if (call.target == "/retention?project=" + project) body = call.body;
      }
      return body;
    });
  };
  directory_.Write("policy.json", policy("before", true));
  EXPECT_TRUE(Until([&] { return last("before").find("24h") != std::string::npos; }));
  ASSERT_TRUE(Drained());
  running_.reset();
  directory_.Write("policy.json", policy("after", false));
  Start();
  EXPECT_TRUE(Until([&] { return last("before") == R"({"retention":[]})"; })) << last("before");
  EXPECT_EQ(last("after"), "") << "no rules, nothing said";
}

}  // namespace
}  // namespace sidecar
