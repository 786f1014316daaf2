// AEGIS working memory and its port, as a client sees them: merge, hold, expiry, limits, hostile
// bodies, and that no caller sees another's.
#include "memory/api/identity_routes_fixture.h"

namespace memory {
namespace {

constexpr int64_t kWorkingDay = 86'400'000;

class WorkingMemoryRoute : public ApiTest {
 protected:
  Answered Put(const Json& body, const std::string& id = "c", const std::string& match = "") {
    http::ClientRequest request;
    request.method = "PUT";
    request.target = "/working-memory/" + id;
    request.body = body.is_string() ? body.get<std::string>() : base::DumpJson(body);
    if (!match.empty()) request.headers.Set("If-Match", match);
    auto response = client_->Send(request);
    EXPECT_TRUE(response) << response.error().message;
    if (!response) return {};
    return {response->status, base::ParseJson(response->body).value_or(Json()), response->headers};
  }
  Json Fields(const std::string& id = "c") { return Get("/working-memory/" + id).body["fields"]; }
  Answered Remove(const std::string& target, const std::string& body = "") {
    return Send(*client_, "DELETE", "/working-memory/" + target, body);
  }
};

TEST_F(WorkingMemoryRoute, UnknownConversationIsEmptyNotAnError) {
  const Answered answer = Get("/working-memory/never");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, (Json{{"conversation_id", "never"},
                               {"fields", Json::object()},
                               {"bytes", 0},
                               {"version", 0},
                               {"ttl_seconds", nullptr},
                               {"expires_at", nullptr}}));
}

TEST_F(WorkingMemoryRoute, PutMergesAndAnswersLikeGet) {
  Put({{"fields", {{"scratchpad", "rule 37"}, {"well_api", "42-123"}}}});
  const Answered merged = Put({{"fields", {{"well_api", nullptr}, {"entities", {{{"id", 1}}}}}}});
  EXPECT_EQ(merged.status, 200);
  EXPECT_EQ(merged.body["fields"],
            (Json{{"scratchpad", "rule 37"}, {"well_api", nullptr}, {"entities", {{{"id", 1}}}}}));
  EXPECT_EQ(merged.body["version"], 2);
  EXPECT_EQ(merged.body["ttl_seconds"], 86'400);
  EXPECT_EQ(merged.body["bytes"], 10 + 9 + 8 + 4 + 8 + 10);
  EXPECT_EQ(Get("/working-memory/c").body, merged.body);
  EXPECT_EQ(merged.body["expires_at"], base::FormatTime(clock_.NowMs() + kWorkingDay));
}

TEST_F(WorkingMemoryRoute, IfMatchWritesOnlyAtThatVersion) {
  EXPECT_EQ(Put({{"fields", {{"a", 1}}}}, "c", "\"0\"").status, 200);
  const Answered refused = Put({{"fields", {{"a", 2}}}}, "c", "\"0\"");
  EXPECT_EQ(refused.status, 412);
  EXPECT_EQ(refused.body["code"], "precondition_failed");
  EXPECT_EQ(Fields()["a"], 1);
  EXPECT_EQ(Put({{"fields", {{"a", 2}}}}, "c", "\"1\"").status, 200);
  EXPECT_EQ(Put({{"fields", {{"a", 2}}}}, "c", "new").status, 400);
}

TEST_F(WorkingMemoryRoute, ReadRenewsTheTtlAcrossARestart) {
  Put({{"fields", {{"a", 1}}}});
  for (int day = 0; day < 5; ++day) {
    clock_.Advance(kWorkingDay - 1);
    EXPECT_EQ(Fields()["a"], 1) << day;
    if (day % 2 == 0) Start();
  }
  clock_.Advance(kWorkingDay);
  EXPECT_EQ(Get("/working-memory/c").body["version"], 0);
}

TEST_F(WorkingMemoryRoute, LongTtlIsNotShortenedByLaterCalls) {
  Put({{"fields", {{"gate", "drop table"}}}, {"ttl_seconds", 7 * 86'400}});
  clock_.Advance(6 * kWorkingDay);
  EXPECT_EQ(Get("/working-memory/c").body["ttl_seconds"], 7 * 86'400);
  clock_.Advance(6 * kWorkingDay);
  EXPECT_EQ(Put({{"fields", {{"approved", true}}}}).body["ttl_seconds"], 7 * 86'400);
  clock_.Advance(6 * kWorkingDay);
  EXPECT_EQ(Fields().size(), 2u);
}

TEST_F(WorkingMemoryRoute, WallClockJumpExpiresNothing) {
  Put({{"fields", {{"a", 1}}}});
  clock_.Jump(400 * kWorkingDay);
  EXPECT_EQ(Fields()["a"], 1);
}

TEST_F(WorkingMemoryRoute, TooLargePutIs413AndChangesNothing) {
  EXPECT_EQ(Put({{"fields", {{"a", std::string(40'000, 'x')}}}}).status, 200);
  const Answered over = Put({{"fields", {{"a", "small"}, {"b", std::string(65'536, 'y')}}}});
  EXPECT_EQ(over.status, 413);
  EXPECT_EQ(over.body["code"], "too_large");
  EXPECT_EQ(Fields()["a"].get<std::string>().size(), 40'000u);
  EXPECT_EQ(Get("/working-memory/c").body["version"], 1);
}

TEST_F(WorkingMemoryRoute, DeleteByBodyByQueryAndAll) {
  Put({{"fields", {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}}});
  EXPECT_EQ(Remove("c", R"({"fields": ["a", "nowhere"]})").body, (Json{{"deleted", 1}}));
  EXPECT_EQ(Remove("c?fields=b,c").body, (Json{{"deleted", 2}}));
  EXPECT_EQ(Fields(), (Json{{"d", 1}}));
  EXPECT_EQ(Remove("c").body, (Json{{"deleted", 1}}));
  EXPECT_EQ(Remove("c").body, (Json{{"deleted", 0}}));
  EXPECT_EQ(Get("/working-memory/c").body["version"], 0);
}

TEST_F(WorkingMemoryRoute, InvalidRequestsAre400AndChangeNothing) {
  Put({{"fields", {{"a", 1}}}});
  std::string deep(200, '[');
  deep += std::string(200, ']');
  for (const std::string& body :
       {std::string(""), std::string("nonsense"), std::string("[]"), std::string("{}"),
        std::string(R"({"fields": [1]})"), std::string(R"({"fields": {"a": 1, "a": 2}})"),
        std::string(R"({"fields": {"scratchpad": 7}})"),
        std::string(R"({"fields": {"entities": "x"}})"), R"({"fields": {"a": )" + deep + "}}",
        std::string("{\"fields\": {\"a\": \"\xff\"}}"),
        std::string(R"({"fields": {"a": "\u0000"}})"),
        std::string(R"({"fields": {"a": 2}, "ttl_seconds": 31536001})"),
        std::string(R"({"fields": {"a": 2}, "ttl_seconds": -1})")}) {
    EXPECT_EQ(Put(body).status, 400) << body.substr(0, 80);
  }
  EXPECT_EQ(Put(std::string(2 << 20, ' ')).status, 413);
  EXPECT_EQ(Fields(), (Json{{"a", 1}}));
  for (const char* id : {"%00", "%ff", "..", "%2e%2e"})
    EXPECT_EQ(Get(std::string("/working-memory/") + id).status, 400) << id;
  EXPECT_EQ(Get("/working-memory/" + std::string(201, 'x')).status, 400);
  EXPECT_EQ(Remove("c?fields=").status, 400) << "an empty list must not delete everything";
  EXPECT_EQ(Remove("c", R"({"fields": "a"})").status, 400);
  const std::string odd = "a%2Fb%20%0A%C3%A9%27%22%3B--";
  EXPECT_EQ(Put({{"fields", {{"", "empty name"}}}}, odd).status, 200);
  EXPECT_EQ(Get("/working-memory/" + odd).body["conversation_id"], "a/b \n\u00e9'\";--");
  EXPECT_EQ(Fields(), (Json{{"a", 1}}));
}

class WorkingMemoryCallers : public EveryRouteTest {
 protected:
  WorkingMemoryCallers() : EveryRouteTest(kMidnight), issuer_(clock_) { Start(&issuer_); }
  FakeIssuer issuer_;
};

TEST_F(WorkingMemoryCallers, FieldsAndLedgerArePerCaller) {
  const std::string a = issuer_.IssueTo("team", "a"), b = issuer_.IssueTo("team", "b");
  const Wish read{"/working-memory/c", ""};
  const Wish write{"/working-memory/c", R"({"fields": {"secret": 1}})"};
  EXPECT_EQ(As(a, "PUT", write).status, 200);
  EXPECT_EQ(As(b, "GET", read).body["version"], 0);
  EXPECT_EQ(As(b, "DELETE", read).body["deleted"], 0);
  EXPECT_EQ(As(a, "GET", read).body["fields"]["secret"], 1);
  EXPECT_EQ(As(a, "POST", {"/ledger/c/mark", R"({"item": "skill:x"})"}).status, 200);
  EXPECT_EQ(As(b, "GET", {"/ledger/c", ""}).body["items"], Json::array());
}

TEST_F(ApiTest, AegisPortServesOnlyItsRoutes) {
  ServerSettings settings;
  settings.data_dir = scratch_.File("aegis");
  settings.aegis_listen = "127.0.0.1:0";
  auto server = StartServer(settings);
  ASSERT_TRUE(server) << server.error().message;
  const auto aegis = Connect((*server)->aegis_address());
  EXPECT_EQ(Send(*aegis, "GET", "/health", "").body["status"], "ok");
  EXPECT_EQ(Send(*aegis, "PUT", "/working-memory/c", R"({"fields": {"a": 1}})").status, 200);
  EXPECT_EQ(Send(*aegis, "POST", "/ledger/c/mark", R"({"item": "skill:x"})").status, 200);
  EXPECT_EQ(Send(*aegis, "GET", "/stats", "").status, 404);
  EXPECT_EQ(Send(*aegis, "GET", "/export", "").status, 404);
  const auto api = Connect((*server)->api_address());
  EXPECT_EQ(Send(*api, "GET", "/working-memory/c", "").body["fields"]["a"], 1);
}

}  // namespace
}  // namespace memory
