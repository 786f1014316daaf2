// What is read from headers, tokens and reviews, and what is remembered of them for how long.
#include "memory/identity/identity.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>

#include "memory/identity/identity_check.h"
#include "memory/identity/identity_fixture.h"

namespace memory {
namespace {

using base::Json;

http::Headers Showing(const std::string& token) {
  http::Headers headers;
  headers.Set("Authorization", "Bearer " + token);
  return headers;
}

TEST(Identity, BearerSchemeIgnoresCase) {
  for (const char* value : {"Bearer abc", "bearer abc", "BEARER  abc "}) {
    http::Headers headers;
    headers.Set("authorization", value);
    auto token = BearerToken(headers);
    ASSERT_TRUE(token && *token) << value;
    EXPECT_EQ(**token, "abc");
  }
  auto none = BearerToken(http::Headers());
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
}

TEST(Identity, OtherAuthorizationIsNotAnonymous) {
  for (const char* value : {"", "Bearer", "Bearer ", "Basic YTpi", "abc", "Bearerabc"}) {
    http::Headers headers;
    headers.Set("Authorization", value);
    EXPECT_FALSE(BearerToken(headers)) << "'" << value << "'";
  }
  http::Headers two = Showing("abc");
  two.Add("authorization", "Bearer def");
  EXPECT_FALSE(BearerToken(two));
  EXPECT_FALSE(BearerToken(Showing(std::string(20'000, 'a'))));
}

TEST(Identity, TokenNamesItsAudience) {
  auto claims = ReadClaims(TokenOf({{"alg", "ES256"}, {"kid", "7"}},
                                   {{"iss", "i"}, {"sub", "s"}, {"aud", "one"}, {"exp", 12}}, "x"));
  ASSERT_TRUE(claims) << claims.error().message;
  EXPECT_EQ(claims->algorithm, "ES256");
  EXPECT_EQ(claims->key_id, "7");
  EXPECT_EQ(claims->audiences, std::vector<std::string>{"one"});
  EXPECT_EQ(claims->expires_ms, 12'000);
  for (const char* bad :
       {"", "a.b", "a.b.c", "e30.e30.", "e30.W10.AA", "e30.e30.!", "e30.e30.e30.e30"})
    EXPECT_FALSE(ReadClaims(bad)) << bad;
  EXPECT_TRUE(ReadClaims("e30.e30.AA"));
}

TEST(Identity, TokenWithCriticalExtensionIsRefused) {
  for (const Json& crit : {Json{"exp"}, Json{"b64"}, Json::array(), Json(nullptr), Json(true)}) {
    const auto claims =
        ReadClaims(TokenOf({{"alg", "ES256"}, {"crit", crit}}, {{"sub", "s"}}, "x"));
    ASSERT_FALSE(claims) << crit;
    EXPECT_EQ(claims.error().code, base::Code::kDenied);
    EXPECT_NE(claims.error().message.find("crit"), std::string::npos);
  }
}

TEST(Identity, ReviewCountsOnlyForOurAudience) {
  const std::vector<std::string> ours{kAudience};
  Json answer = {{"status",
                  {{"authenticated", true},
                   {"user", {{"username", "system:serviceaccount:team-a:coder"}}},
                   {"audiences", {kAudience}}}}};
  auto review = DecodeTokenReview(answer, ours);
  ASSERT_TRUE(review && review->authenticated);
  EXPECT_EQ(ServiceAccountOf(review->user), (Caller{"team-a", "coder", Role::kAgent}));
  Json changed = answer;
  changed["status"].erase("audiences");  // an API server that knows nothing of them
  EXPECT_FALSE(DecodeTokenReview(changed, ours)->authenticated);
  changed["status"]["audiences"] = {"https://kubernetes.default.svc"};
  EXPECT_FALSE(DecodeTokenReview(changed, ours)->authenticated);
  changed = answer;
  changed["status"]["authenticated"] = "true";
  EXPECT_FALSE(DecodeTokenReview(changed, ours)->authenticated);
  EXPECT_FALSE(DecodeTokenReview(Json::object(), ours));
  for (const char* user : {"alice", "system:node:n", "system:serviceaccount:a",
                           "system:serviceaccount::b", "system:serviceaccount:a:b:c"})
    EXPECT_FALSE(ServiceAccountOf(user)) << user;
}

TEST(Identity, ReaderChangesNothing) {
  for (const char* method : {"GET", "HEAD"}) EXPECT_TRUE(Permits(Role::kReader, method));
  for (const char* method : {"POST", "PATCH", "DELETE", "PUT"}) {
    EXPECT_FALSE(Permits(Role::kReader, method));
    EXPECT_TRUE(Permits(Role::kAgent, method));
  }
}

class IdentityCheckTest : public ::testing::Test {
 protected:
  IdentityCheckTest() : issuer_(clock_) {
    options_.audiences = {kAudience};
    check_ = std::make_unique<IdentityCheck>(issuer_, clock_, metrics_, options_);
  }
  int StatusOf(const std::string& token) { return check_->Identify(Showing(token)).status; }

  ::testing::FakeClock clock_;
  FakeIssuer issuer_;
  telemetry::Metrics metrics_;
  IdentityCheck::Options options_;
  std::unique_ptr<IdentityCheck> check_;
};

TEST_F(IdentityCheckTest, ValidTokenIsReviewedOnceAMinute) {
  const std::string token = issuer_.IssueTo("team-a", "coder");
  for (int i = 0; i < 5; ++i) {
    Identified who = check_->Identify(Showing(token));
    EXPECT_EQ(who.status, 200);
    EXPECT_EQ(who.caller, (Caller{"team-a", "coder", Role::kAgent}));
  }
  EXPECT_EQ(issuer_.asked(), 1);
  clock_.Advance(60'000);
  EXPECT_EQ(StatusOf(token), 200);
  EXPECT_EQ(issuer_.asked(), 2);
}

TEST_F(IdentityCheckTest, RevokedTokenIsRefusedWithinAMinute) {
  const std::string token = issuer_.IssueTo("team-a");
  EXPECT_EQ(StatusOf(token), 200);
  issuer_.Revoke(token);
  clock_.Advance(60'000);
  EXPECT_EQ(StatusOf(token), 401);
}

TEST_F(IdentityCheckTest, RefusalIsCachedForTenSeconds) {
  const std::string forged = TokenOf({{"alg", "RS256"}}, {{"aud", kAudience}}, "mine");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(StatusOf(forged), 401);
  EXPECT_EQ(issuer_.asked(), 1);
  clock_.Advance(10'000);
  EXPECT_EQ(StatusOf(forged), 401);
  EXPECT_EQ(issuer_.asked(), 2);
}

TEST_F(IdentityCheckTest, TokenForOthersIsNotReviewed) {
  EXPECT_EQ(StatusOf("no-web-token"), 401);
  EXPECT_EQ(StatusOf(issuer_.Issue("system:serviceaccount:a:b", "another.audience")), 401);
  EXPECT_EQ(check_->Identify(http::Headers()).status, 401);
  EXPECT_EQ(issuer_.asked(), 0);
}

TEST_F(IdentityCheckTest, PersonIsIdentifiedAndRefused) {
  EXPECT_EQ(StatusOf(issuer_.Issue("alice")), 403);
}

TEST_F(IdentityCheckTest, ExpiredTokenIsNeverAccepted) {
  const std::string token = issuer_.Issue("system:serviceaccount:a:b", kAudience, 20'000);
  EXPECT_EQ(StatusOf(token), 200);
  clock_.Advance(20'000);
  EXPECT_EQ(StatusOf(token), 401);
}

TEST_F(IdentityCheckTest, OutageKeepsKnownCallersForFiveMinutes) {
  const std::string known = issuer_.IssueTo("team-a"), late = issuer_.IssueTo("team-b");
  EXPECT_EQ(StatusOf(known), 200);
  issuer_.SetDown(true);
  for (int64_t passed_ms = 0; passed_ms < 300'000; passed_ms += 10'000) {
    EXPECT_EQ(StatusOf(known), 200) << passed_ms;
    EXPECT_EQ(StatusOf(late), 503) << passed_ms;
    clock_.Advance(10'000);
  }
  EXPECT_EQ(StatusOf(known), 503);
  issuer_.SetDown(false);
  clock_.Advance(1'000);
  EXPECT_EQ(StatusOf(known), 200);
  EXPECT_EQ(StatusOf(late), 200);
  EXPECT_GT(metrics_.Value("agent_memory_server_identities_total", {{"outcome", "bridged"}}), 0);
}

TEST_F(IdentityCheckTest, OutageExtendsNoToken) {
  const std::string token = issuer_.Issue("system:serviceaccount:a:b", kAudience, 120'000);
  EXPECT_EQ(StatusOf(token), 200);
  issuer_.SetDown(true);
  clock_.Advance(119'000);
  EXPECT_EQ(StatusOf(token), 200);
  clock_.Advance(1'000);
  EXPECT_EQ(StatusOf(token), 503);
}

TEST_F(IdentityCheckTest, FailedServerIsNotQueriedAgainSoon) {
  issuer_.SetDown(true);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(StatusOf(issuer_.IssueTo("team-a")), 503);
  EXPECT_EQ(issuer_.asked(), 1);
}

TEST_F(IdentityCheckTest, FloodOfForgeriesEvictsNoKnownCaller) {
  const std::string token = issuer_.IssueTo("team-a");
  EXPECT_EQ(StatusOf(token), 200);
  for (int i = 0; i < 6'000; ++i)
    EXPECT_EQ(StatusOf(TokenOf({{"alg", "RS256"}}, {{"aud", kAudience}, {"n", i}}, "mine")), 401);
  EXPECT_EQ(issuer_.asked(), 6'001);
  EXPECT_EQ(StatusOf(token), 200);
  EXPECT_EQ(issuer_.asked(), 6'001);
}

TEST_F(IdentityCheckTest, InvalidTokenIsNotAnonymous) {
  options_.anonymous = Caller{"open", "", Role::kReader};
  check_ = std::make_unique<IdentityCheck>(issuer_, clock_, metrics_, options_);
  EXPECT_EQ(check_->Identify(http::Headers()).caller, (Caller{"open", "", Role::kReader}));
  EXPECT_EQ(StatusOf(TokenOf({{"alg", "RS256"}}, {{"aud", kAudience}}, "mine")), 401);
  EXPECT_EQ(metrics_.Value("agent_memory_server_identities_total", {{"outcome", "anonymous"}}), 1);
}

// Answers only when it is told to.
class SlowReviewer : public TokenReviewer {
 public:
  base::Result<Review> Look(const std::string&) override {
    ++asked_;
    started_.count_down();
    answer_.get_future().wait();
    return Review{true, "system:serviceaccount:team-a:coder", ""};
  }
  std::atomic<int> asked_ = 0;
  std::latch started_{1};
  std::promise<void> answer_;
};

TEST_F(IdentityCheckTest, EqualTokensShareOneReview) {
  SlowReviewer slow;
  IdentityCheck check(slow, clock_, metrics_, options_);
  const http::Headers headers = Showing(issuer_.IssueTo("team-a"));
  std::vector<std::future<int>> callers;
  for (int i = 0; i < 16; ++i)
    callers.push_back(
        std::async(std::launch::async, [&] { return check.Identify(headers).status; }));
  slow.started_.wait();
  slow.answer_.set_value();
  for (auto& caller : callers) EXPECT_EQ(caller.get(), 200);
  EXPECT_EQ(slow.asked_, 1);
}

}  // namespace
}  // namespace memory
