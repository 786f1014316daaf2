// Every route times every way to come: with a token of one's own, of somebody else, forged,
// expired, for another server, or with none. The list of routes is the server's own table, so that
// a new one cannot be forgotten here.
#include "lib/testing/raw_socket.h"
#include "memory/api/identity_routes_fixture.h"

namespace memory {
namespace {

class IdentityRouteTest : public EveryRouteTest {
 protected:
  IdentityRouteTest() : EveryRouteTest(kMidnight), issuer_(clock_) { Start(&issuer_); }
  FakeIssuer issuer_;
};

TEST_F(IdentityRouteTest, UnknownCallerIsRefusedBeforeTheBody) {
  const std::string address = server_->api_address();
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  const std::string elsewhere =
      issuer_.Issue("system:serviceaccount:team-a:agent", "agent-memory.x.y");
  for (const std::string& field : {std::string(), "Authorization: Bearer " + elsewhere + "\r\n",
                                   std::string("Authorization: Basic x\r\n")}) {
    testing::RawSocket socket(port);
    socket.Send("POST /observations HTTP/1.1\r\nHost: t\r\n" + field +
                "Content-Length: 1000000\r\n\r\n");
    const std::string answer = socket.ReadUntil("}");
    EXPECT_EQ(testing::StatusOf(answer), 401) << field << answer;
  }
  const std::string token = issuer_.IssueTo("team-a");
  issuer_.Revoke(token);
  EXPECT_EQ(As(token, "GET", {"/stats", ""}).status, 401);
  testing::RawSocket again(port);
  again.Send("POST /observations HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer " + token +
             "\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_EQ(testing::StatusOf(again.ReadUntil("}")), 401) << "refused a moment ago";
}

TEST_F(IdentityRouteTest, NoRouteAnswersUnknownCallers) {
  const std::string a = issuer_.IssueTo("team-a"), b = issuer_.IssueTo("team-b");
  Fill(a, 5);
  const std::string before = Everything(a);
  const std::string expired = issuer_.Issue("system:serviceaccount:team-a:agent", kAudience, 1'000);
  const std::string revoked = issuer_.IssueTo("team-a", "gone");
  issuer_.Revoke(revoked);
  clock_.Advance(1'000);
  const auto forged = [](const std::string& good) {
    return good.substr(0, good.rfind('.')) + "." + Base64Url("forged");
  };
  using Header = std::optional<std::string>;
  const std::vector<std::pair<const char*, Header>> strangers = {
      {"none", std::nullopt},
      {"an empty header", ""},
      {"a scheme alone", "Bearer"},
      {"an empty token", "Bearer "},
      {"a forged signature", "Bearer " + forged(a)},
      {"another forged signature", "Bearer " + forged(b)},
      {"a swapped payload", "Bearer " + a.substr(0, a.find('.')) + b.substr(b.find('.')) + "A"},
      {"an expired token", "Bearer " + expired},
      {"a revoked token", "Bearer " + revoked},
      {"another server's token",
       "Bearer " + issuer_.Issue("system:serviceaccount:team-a:agent", "agent-memory.x.y")},
      {"the API server's token", "Bearer " + issuer_.Issue("system:serviceaccount:team-a:agent",
                                                           "https://kubernetes.default.svc")},
      {"an audience in upper case", "Bearer " + issuer_.Issue("system:serviceaccount:team-a:agent",
                                                              base::ToUtf8("AGENT-MEMORY"))},
      {"a token cut short", "Bearer " + a.substr(0, a.size() - 3)},
      {"a token in upper case", "Bearer " +
                                    [&] {
                                      std::string upper = a;
                                      for (char& c : upper) c = static_cast<char>(toupper(c));
                                      return upper;
                                    }()},
      {"a basic password", "Basic dGVhbS1hOmFnZW50"},
      {"no scheme", a},
      {"a scheme of its own", "Token " + a},
      {"two tokens", "Bearer " + a + " " + a},
      {"a name in place of a token", "Bearer system:serviceaccount:team-a:agent"},
  };
  int cases = 0;
  for (const auto& [method, pattern] : Table()) {
    for (int64_t id : {int64_t{1}, int64_t{999}}) {
      auto wish = WishFor(method + " " + pattern, id);
      ASSERT_TRUE(wish) << method << " " << pattern << " is new: say here what to send";
      for (const auto& [how, header] : strangers) {
        Answered answer = Send(method, *wish, header);
        ++cases;
        const bool health = pattern == "/health";  // answers every caller, of the process alone
        EXPECT_EQ(answer.status, health ? 200 : 401)
            << method << " " << wish->target << " with " << how;
        EXPECT_EQ(answer.headers.Get("WWW-Authenticate").has_value(), !health);
        EXPECT_EQ(answer.body.dump().find(kCanary), std::string::npos);
      }
    }
  }
  EXPECT_GE(cases, 500);
  EXPECT_EQ(Everything(a), before);
  EXPECT_EQ(server_->engine().Figures().open_tenants, 1) << "a stranger made a tenant";
}

TEST_F(IdentityRouteTest, ForeignRowAnswersLikeAMissingOne) {
  const std::string a = issuer_.IssueTo("team-a"), b = issuer_.IssueTo("team-b");
  constexpr int64_t kOfA = 9, kOfNobody = 8;  // b has rows of its own up to 3
  Fill(a, 12);
  ASSERT_EQ(As(a, "DELETE", {"/observations/8?hard=true", ""}).status, 204);
  for (int i = 0; i < 3; ++i)
    As(b, "POST", {"/observations", base::DumpJson(api::EncodeNewObservation(Note("mine", "q")))});
  const std::string of_a = Everything(a);
  const auto neutral = [](const Answered& answer, int64_t id) {
    std::string text = base::DumpJson(answer.body);
    for (size_t at; (at = text.find(std::to_string(id))) != std::string::npos;)
      text.replace(at, std::to_string(id).size(), "N");
    return std::to_string(answer.status) + " " + text;
  };
  int cases = 0;
  for (const auto& [method, pattern] : Table()) {
    auto theirs = WishFor(method + " " + pattern, kOfA);
    auto nobodys = WishFor(method + " " + pattern, kOfNobody);
    ASSERT_TRUE(theirs && nobodys);
    // What answers depends on the id alone: the others are judged by the canary.
    Answered other = As(b, method, *theirs), absent = As(b, method, *nobodys);
    EXPECT_EQ(base::DumpJson(other.body).find(kCanary), std::string::npos) << method << pattern;
    cases += 2;
    if (pattern.find("{id}") == std::string::npos || !pattern.starts_with("/observations"))
      continue;
    EXPECT_EQ(other.status, 404) << method << " " << pattern;
    EXPECT_EQ(neutral(other, kOfA), neutral(absent, kOfNobody)) << method << " " << pattern;
  }
  EXPECT_GE(cases, 30);
  EXPECT_EQ(Everything(a), of_a) << "another tenant changed something";
}

TEST_F(IdentityRouteTest, ProjectsAreSeparatePerNamespace) {
  const std::string a = issuer_.IssueTo("team-a"), b = issuer_.IssueTo("team-b");
  Fill(a, 3);
  EXPECT_EQ(As(b, "GET", {"/search?q=xylophone&project=p", ""}).body, Json::array());
  EXPECT_EQ(As(b, "GET", {"/stats", ""}).body["total_observations"], 0);
  // Its session's name is free here: nothing tells that another tenant has one.
  EXPECT_EQ(As(b, "POST", {"/sessions", R"({"id":"s-p","project":"other"})"}).status, 201);
  EXPECT_EQ(As(a, "GET", {"/stats", ""}).body["total_observations"], 3);
  EXPECT_EQ(As(a, "GET", {"/search?q=xylophone&project=p", ""}).body.size(), 3u);
}

TEST_F(IdentityRouteTest, AccountsOfANamespaceShareMemory) {
  Fill(issuer_.IssueTo("team-a", "coder"), 2);
  EXPECT_EQ(
      As(issuer_.IssueTo("team-a", "reviewer"), "GET", {"/stats", ""}).body["total_observations"],
      2);
}

TEST_F(IdentityRouteTest, AnonymousReaderReadsOneNamespace) {
  Start(&issuer_, [](ServerSettings& settings) { settings.anonymous_namespace = "team-a"; });
  const std::string a = issuer_.IssueTo("team-a"), b = issuer_.IssueTo("team-b");
  Fill(a, 3);
  Fill(b, 1);
  const std::string before = Everything(a);
  for (const auto& [method, pattern] : Table()) {
    Answered answer = Send(method, *WishFor(method + " " + pattern, 2), std::nullopt);
    if (method == "GET") {
      // A conversation is its caller's, and this one has none; no turn came in; nothing is shared
      // with those without a name.
      const bool own = pattern.starts_with("/conversations/") ||
                       pattern == "/shared/{agent}/{key}" || pattern == "/ingest/turns/{turn}";
      EXPECT_EQ(answer.status, own ? 404 : 200) << pattern;
    } else {
      EXPECT_EQ(answer.status, 403) << method << " " << pattern;
    }
  }
  EXPECT_EQ(Everything(a), before);
  EXPECT_EQ(Send("GET", {"/stats", ""}, std::nullopt).body["total_observations"], 3);
  EXPECT_EQ(Send("GET", {"/stats", ""}, "Bearer forged").status, 401);
}

TEST_F(IdentityRouteTest, AnonymousAgentMayWrite) {
  Start(&issuer_, [](ServerSettings& settings) {
    settings.anonymous_namespace = "team-a";
    settings.anonymous_role = "agent";
  });
  EXPECT_EQ(Send("POST", *WishFor("POST /observations", 1), std::nullopt).status, 201);
  EXPECT_EQ(As(issuer_.IssueTo("team-a"), "GET", {"/stats", ""}).body["total_observations"], 1);
}

TEST_F(IdentityRouteTest, UnknownCallerGets503WithoutApiServer) {
  const std::string known = issuer_.IssueTo("team-a"), late = issuer_.IssueTo("team-b");
  Fill(known, 1);
  issuer_.SetDown(true);
  clock_.Advance(70'000);
  EXPECT_EQ(As(known, "GET", {"/stats", ""}).status, 200);
  Answered answer = As(late, "GET", {"/stats", ""});
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.Get("Retry-After"), "1");
}

}  // namespace
}  // namespace memory
