// Quotas as callers meet them: whose budget, which answer, and what is let in all the same.
#include "memory/api/identity_routes_fixture.h"

namespace memory {
namespace {

class QuotaRouteTest : public EveryRouteTest {
 protected:
  QuotaRouteTest() : EveryRouteTest(kMidnight), issuer_(clock_) {}
  void StartWith(WriteBudgets::Limits limits, TenantQuota quota = {}) {
    Start(&issuer_, [&](ServerSettings& settings) {
      settings.budgets = limits;
      settings.store.quota = quota;
    });
  }
  Answered Write(const std::string& token, bool replay = false) {
    http::ClientRequest request;
    request.method = "POST";
    request.target = "/observations";
    request.body =
        base::DumpJson(api::EncodeNewObservation(Note("text " + std::to_string(++written_))));
    request.headers.Set("Authorization", "Bearer " + token);
    if (replay) request.headers.Set(api::kReplayHeader, "true");
    auto response = client_->Send(request);
    EXPECT_TRUE(response) << response.error().message;
    if (!response) return {};
    auto json = base::ParseJson(response->body);
    return {response->status, json ? *json : Json(), response->headers};
  }
  FakeIssuer issuer_;
  int written_ = 0;
};

TEST_F(QuotaRouteTest, ExceededWriteRateIs429WithQuotaAndRetryAfter) {
  StartWith({60, 3});
  const std::string agent = issuer_.IssueTo("team-a");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Write(agent).status, 201);
  Answered refused = Write(agent);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.Get("Retry-After"), "1");
  EXPECT_EQ(refused.body["code"], "over_quota");
  const std::string said = refused.body["error"].get<std::string>();
  for (const char* word : {"quota-writes", "60 times a minute", "quota-burst: 3", "in 1 s"})
    EXPECT_NE(said.find(word), std::string::npos) << said;
  clock_.Advance(1000);
  EXPECT_EQ(Write(agent).status, 201);
  EXPECT_EQ(Write(agent).status, 429);
}

TEST_F(QuotaRouteTest, WriteBudgetIsPerServiceAccount) {
  StartWith({60, 1});
  const std::string agent = issuer_.IssueTo("team-a"), same = issuer_.IssueTo("team-a");
  ASSERT_EQ(Write(agent).status, 201);
  EXPECT_EQ(Write(same).status, 429) << "another token of the same ServiceAccount";
  EXPECT_EQ(Write(issuer_.IssueTo("team-a", "other")).status, 201);
  EXPECT_EQ(Write(issuer_.IssueTo("team-b")).status, 201);
}

TEST_F(QuotaRouteTest, ReadsAndDeletesAreFreeImportsAndReplaysSeparate) {
  StartWith({60, 1});
  const std::string agent = issuer_.IssueTo("team-a");
  ASSERT_EQ(Write(agent).status, 201);
  ASSERT_EQ(Write(agent).status, 429);
  EXPECT_EQ(Write(agent, true).status, 201);
  EXPECT_EQ(Write(agent, true).status, 429) << "its budget has the same size";
  const Wish import{"/import", R"({"sessions":[],"observations":[]})"};
  EXPECT_EQ(As(agent, "POST", import).status, 200);
  EXPECT_EQ(As(agent, "POST", import).status, 429);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(As(agent, "GET", {"/observations/1", ""}).status, i == 0 ? 200 : 404);
    EXPECT_EQ(As(agent, "DELETE", {"/observations/1?hard=true", ""}).status, 204);
  }
}

TEST_F(QuotaRouteTest, EveryWritingRouteHasABudget) {
  StartWith({1, 1});
  int paid = 0;
  for (const auto& [method, pattern] : Table()) {
    if (method == "GET" || method == "DELETE") continue;
    auto wish = WishFor(method + " " + pattern, 1);
    ASSERT_TRUE(wish) << method << " " << pattern;
    const std::string agent = issuer_.IssueTo("team-a", "agent-" + std::to_string(++paid));
    EXPECT_NE(As(agent, method, *wish).status, 429) << method << " " << pattern;
    EXPECT_EQ(As(agent, method, *wish).status, 429) << method << " " << pattern;
  }
  EXPECT_GT(paid, 4);
}

TEST_F(QuotaRouteTest, FullTenantIs507AndOthersAreNot) {
  StartWith({0, 1}, {2, 0});
  const std::string a = issuer_.IssueTo("team-a"), b = issuer_.IssueTo("team-b");
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Write(a).status, 201);
  Answered refused = Write(a);
  EXPECT_EQ(refused.status, 507);
  EXPECT_EQ(refused.body["code"], "full");
  EXPECT_NE(refused.body["error"].get<std::string>().find("quota-rows"), std::string::npos);
  EXPECT_EQ(Write(b).status, 201);
  EXPECT_EQ(As(a, "DELETE", {"/observations/1", ""}).status, 204);
  EXPECT_EQ(Write(a).status, 201);
}

}  // namespace
}  // namespace memory
