// Signing in to the console: a token once, then a cookie that only the console's own page can use.
#include "memory/api/identity_routes_fixture.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

class ConsoleSignInTest : public EveryRouteTest {
 protected:
  ConsoleSignInTest() : EveryRouteTest(kMidnight), issuer_(clock_) { Start(&issuer_); }

  Answered Ask(const std::string& method, const std::string& target, const Fields& fields,
               const std::string& body = "") {
    http::ClientRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    for (const auto& [name, value] : fields) request.headers.Set(name, value);
    auto response = client_->Send(request);
    EXPECT_TRUE(response) << response.error().message;
    if (!response) return {};
    auto json = base::ParseJson(response->body);
    return {response->status, json ? *json : Json(response->body), response->headers};
  }
  std::string Own() const { return "http://" + server_->api_address(); }
  Answered SignIn(const std::string& token, const Fields& fields) {
    return Ask("POST", "/ui/session", fields, base::DumpJson({{"token", token}}));
  }
  // The cookie of a session of team-a/person.
  std::string Cookie() {
    const Answered answer = SignIn(issuer_.IssueTo("team-a", "person"), {{"Origin", Own()}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    const std::string set = answer.headers.Get("Set-Cookie").value_or("");
    return set.substr(0, set.find(';'));
  }

  FakeIssuer issuer_;
};

TEST_F(ConsoleSignInTest, ACookieStandsForTheTokenOnTheConsolesOwnPage) {
  EXPECT_EQ(Ask("GET", "/stats", {}).status, 401);
  EXPECT_EQ(Ask("GET", "/ui/", {}).status, 200) << "the page itself needs no token";
  const std::string cookie = Cookie();
  EXPECT_EQ(Ask("GET", "/stats", {{"Cookie", "a=b; " + cookie}}).status, 200);
  EXPECT_EQ(Ask("GET", "/ui/facts", {{"Cookie", cookie}}).body["caller"], "team-a/person");
  EXPECT_EQ(Ask("GET", "/ui/facts", {}).body["caller"], "");
  const std::string note = base::DumpJson(api::EncodeNewObservation(Note("text", "p")));
  EXPECT_EQ(Ask("POST", "/observations", {{"Cookie", cookie}, {"Origin", Own()}}, note).status,
            201);
}

TEST_F(ConsoleSignInTest, TheCookieIsOfThisBrowserAloneAndEndsAfterAnHour) {
  const Answered answer = SignIn(issuer_.IssueTo("team-a"), {{"Origin", Own()}});
  const std::string set = answer.headers.Get("Set-Cookie").value_or("");
  for (const char* part : {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=3600"})
    EXPECT_NE(set.find(part), std::string::npos) << set;
  EXPECT_EQ(answer.body.dump().find("."), std::string::npos) << "no token in the answer";
  const std::string cookie = set.substr(0, set.find(';'));
  EXPECT_EQ(Ask("GET", "/stats", {{"Cookie", cookie}}).status, 200);
  clock_.Advance(3'600'000);
  EXPECT_EQ(Ask("GET", "/stats", {{"Cookie", cookie}}).status, 401);
}

TEST_F(ConsoleSignInTest, AnotherPageCanNeitherSignInNorUseTheCookie) {
  const std::string token = issuer_.IssueTo("team-a");
  for (const Fields& foreign : {Fields{},
                                {{"Origin", "http://evil.example"}},
                                {{"Origin", "null"}},
                                {{"Origin", Own()}, {"Sec-Fetch-Site", "cross-site"}},
                                {{"Sec-Fetch-Site", "same-site"}}})
    EXPECT_EQ(SignIn(token, foreign).status, 403);
  const std::string cookie = Cookie();
  for (Fields foreign : {Fields{},
                         {{"Origin", "http://evil.example"}},
                         {{"Origin", "null"}},
                         {{"Sec-Fetch-Site", "cross-site"}},
                         {{"Sec-Fetch-Site", "none"}}}) {
    foreign.emplace_back("Cookie", cookie);
    EXPECT_EQ(Ask("DELETE", "/observations/1", foreign).status, 403);
    EXPECT_EQ(Ask("POST", "/observations", foreign, "{}").status, 403);
  }
  EXPECT_EQ(Ask("GET", "/stats", {{"Cookie", cookie}, {"Sec-Fetch-Site", "same-site"}}).status,
            403);
}

TEST_F(ConsoleSignInTest, AWrongTokenOrCookieIsNobody) {
  const Fields own = {{"Origin", Own()}};
  EXPECT_EQ(SignIn("nonsense", own).status, 401);
  EXPECT_EQ(SignIn(issuer_.Issue("system:serviceaccount:a:b", "other-audience"), own).status, 401);
  EXPECT_EQ(Ask("POST", "/ui/session", own, "{}").status, 400);
  EXPECT_EQ(Ask("POST", "/ui/session", own, std::string(17 << 10, ' ')).status, 413);
  for (const char* cookie :
       {"agent-memory-console=", "agent-memory-console=0", "agent-memory-consolex=1"})
    EXPECT_EQ(Ask("GET", "/stats", {{"Cookie", cookie}}).status, 401);
}

TEST_F(ConsoleSignInTest, SigningOutEndsASession) {
  const std::string cookie = Cookie();
  EXPECT_EQ(Ask("DELETE", "/ui/session", {{"Cookie", cookie}, {"Origin", Own()}}).status, 204);
  EXPECT_EQ(Ask("GET", "/stats", {{"Cookie", cookie}}).status, 401);
}

TEST_F(ConsoleSignInTest, ATokenOfARequestIsUsedBeforeTheCookie) {
  const std::string other = issuer_.IssueTo("team-b", "agent");
  const Answered facts =
      Ask("GET", "/ui/facts", {{"Cookie", Cookie()}, {"Authorization", "Bearer " + other}});
  EXPECT_EQ(facts.body["caller"], "team-b/agent");
}

}  // namespace
}  // namespace memory
