// Shared memory by its routes: on a cluster by ServiceAccounts and an authorizer, without one by
// names and a file. What one Agent has is another's by a grant alone.
#include "lib/api/limits.h"
#include "lib/base/process/file.h"
#include "memory/api/identity_routes_fixture.h"
#include "memory/identity/access_fixture.h"

namespace memory {
namespace {

class SharedRouteTest : public EveryRouteTest {
 protected:
  SharedRouteTest() : EveryRouteTest(kMidnight), issuer_(clock_) {
    Start(&issuer_, {}, &cluster_);
    a_ = issuer_.IssueTo("team", "a-agent");
    b_ = issuer_.IssueTo("team", "b-agent");
    stranger_ = issuer_.IssueTo("next-door", "a-agent");
  }
  void Grant(const std::string& verb, const std::string& owner = "a") {
    cluster_.Allow("team/b-agent/" + verb + "/" + owner);
    clock_.Advance(10'000);
  }
  Answered Put(const std::string& token, const std::string& target, const std::string& body) {
    return As(token, "PUT", {target, body});
  }
  Answered Get(const std::string& token, const std::string& target) {
    return As(token, "GET", {target, ""});
  }
  Answered Delete(const std::string& token, const std::string& target) {
    return As(token, "DELETE", {target, ""});
  }
  Answered If(const std::string& method, const std::string& target, const std::string& header,
              const std::string& value) {
    http::ClientRequest request;
    request.method = method;
    request.target = target;
    request.body = method == "PUT" ? "1" : "";
    request.headers.Set("Authorization", "Bearer " + a_);
    request.headers.Set(header, value);
    auto response = client_->Send(request);
    EXPECT_TRUE(response);
    return response ? Answered{response->status, Json(response->body), response->headers}
                    : Answered{};
  }

  FakeIssuer issuer_;
  FakeAuthorizer cluster_;
  std::string a_, b_, stranger_;
};

TEST_F(SharedRouteTest, OwnerWritesReadsAndDeletesItsItems) {
  Answered made = Put(a_, "/shared/a/plan", R"({"steps": ["read", null, 1.5]})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body, Json({{"key", "shared:a:plan"}, {"version", 1}}));
  EXPECT_EQ(made.headers.Get("ETag"), "\"1\"");
  EXPECT_EQ(Put(a_, "/shared/a/plan", "7").status, 200);
  Answered read = Get(a_, "/shared/a/plan");
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.body, Json(7)) << "the value itself";
  EXPECT_EQ(read.headers.Get("ETag"), "\"2\"");
  EXPECT_EQ(Put(a_, "/shared/a/a%2Fb%20%C3%A4", "null").status, 201);
  EXPECT_EQ(Get(a_, "/shared").body, Json({{"shared:a:a/b ä", nullptr}, {"shared:a:plan", 7}}));
  EXPECT_EQ(Delete(a_, "/shared/a/plan").status, 204);
  EXPECT_EQ(Get(a_, "/shared/a/plan").status, 404);
  EXPECT_EQ(Delete(a_, "/shared/a/plan").status, 404);
  EXPECT_EQ(Put(a_, "/shared/a/plan", "8").body["version"], 4) << "another life, another version";
}

TEST_F(SharedRouteTest, WithoutAGrantItemsLookAbsent) {
  ASSERT_EQ(Put(a_, "/shared/a/plan", "1").status, 201);
  const Answered hidden = Get(b_, "/shared/a/plan"), absent = Get(b_, "/shared/a/nothing"),
                 own = Get(b_, "/shared/b/nothing"), nobody = Get(b_, "/shared/nobody/nothing");
  for (const Answered* one : {&hidden, &absent, &own, &nobody}) {
    EXPECT_EQ(one->status, 404);
    EXPECT_EQ(one->body, absent.body);
  }
  EXPECT_EQ(Delete(b_, "/shared/a/plan").status, 404);
  EXPECT_EQ(Put(b_, "/shared/a/plan", "2").status, 403);
  EXPECT_EQ(Put(b_, "/shared/nobody/plan", "2").status, 403);
  EXPECT_EQ(Get(b_, "/shared").body, Json::object());
  EXPECT_EQ(Get(b_, "/shared?agent=a").body, Json::object());
  EXPECT_EQ(Get(a_, "/shared/a/plan").body, Json(1));
}

TEST_F(SharedRouteTest, GetGrantAllowsReadsOnly) {
  ASSERT_EQ(Put(a_, "/shared/a/plan", "1").status, 201);
  Grant("get");
  EXPECT_EQ(Get(b_, "/shared/a/plan").body, Json(1));
  EXPECT_EQ(Get(b_, "/shared").body, Json({{"shared:a:plan", 1}}));
  EXPECT_EQ(Get(b_, "/shared?agent=a").body, Json({{"shared:a:plan", 1}}));
  EXPECT_EQ(Delete(b_, "/shared/a/plan").status, 403);
  EXPECT_EQ(Delete(b_, "/shared/a/nothing").status, 403);
  EXPECT_EQ(Put(b_, "/shared/a/plan", "2").status, 403);
  EXPECT_EQ(Get(a_, "/shared/a/plan").body, Json(1));
  cluster_.Deny("team/b-agent/get/a");
  clock_.Advance(10'000);
  EXPECT_EQ(Get(b_, "/shared/a/plan").status, 404);
}

TEST_F(SharedRouteTest, UpdateAndDeleteGrantsAllowWrites) {
  for (const char* verb : {"get", "update", "delete"}) Grant(verb);
  EXPECT_EQ(Put(b_, "/shared/a/plan", "2").status, 201);
  EXPECT_EQ(Get(a_, "/shared/a/plan").body, Json(2));
  EXPECT_EQ(Delete(b_, "/shared/a/plan").status, 204);
}

TEST_F(SharedRouteTest, ItemsArePerNamespace) {
  ASSERT_EQ(Put(a_, "/shared/a/plan", "1").status, 201);
  EXPECT_EQ(Get(stranger_, "/shared/a/plan").status, 404) << "the same name, another tenant";
  EXPECT_EQ(Put(stranger_, "/shared/a/plan", "2").status, 201) << "its own";
  EXPECT_EQ(Get(stranger_, "/shared").body, Json({{"shared:a:plan", 2}}));
  EXPECT_EQ(Get(a_, "/shared").body, Json({{"shared:a:plan", 1}}));
  cluster_.Allow("next-door/a-agent/list/");
  clock_.Advance(10'000);
  EXPECT_EQ(Get(stranger_, "/shared").body, Json({{"shared:a:plan", 2}}));
}

TEST_F(SharedRouteTest, SupervisorListsAllAndClaimedNamesAreIgnored) {
  ASSERT_EQ(Put(a_, "/shared/a/plan", "1").status, 201);
  ASSERT_EQ(Put(b_, "/shared/b/plan", "2").status, 201);
  EXPECT_EQ(Get(b_, "/shared?as=a").body, Json({{"shared:b:plan", 2}}));
  EXPECT_EQ(Get(b_, "/shared/a/plan?as=a").status, 404);
  EXPECT_EQ(Put(b_, "/shared/a/plan?as=a", "3").status, 403);
  cluster_.Allow("team/supervisor/list/");
  const std::string supervisor = issuer_.IssueTo("team", "supervisor");
  EXPECT_EQ(Get(supervisor, "/shared").body, Json({{"shared:a:plan", 1}, {"shared:b:plan", 2}}));
  EXPECT_EQ(Get(supervisor, "/shared?agent=b").body, Json({{"shared:b:plan", 2}}));
  EXPECT_EQ(Put(supervisor, "/shared/a/plan", "3").status, 403);
}

TEST_F(SharedRouteTest, UnreachableClusterIs503) {
  ASSERT_EQ(Put(a_, "/shared/a/plan", "1").status, 201);
  cluster_.SetDown(true);
  EXPECT_EQ(Get(b_, "/shared/a/plan").status, 503);
  EXPECT_EQ(Put(b_, "/shared/a/plan", "2").status, 503);
  EXPECT_EQ(Delete(b_, "/shared/a/plan").status, 503);
  EXPECT_EQ(Get(b_, "/shared").status, 503);
  EXPECT_EQ(Get(a_, "/shared/a/plan").body, Json(1)) << "one's own needs no answer";
}

TEST_F(SharedRouteTest, FailedPreconditionIs412AndChangesNothing) {
  EXPECT_EQ(If("PUT", "/shared/a/k", "If-Match", "\"1\"").status, 412);
  EXPECT_EQ(If("PUT", "/shared/a/k", "If-Match", "*").status, 412);
  EXPECT_EQ(Get(a_, "/shared/a/k").status, 404);
  EXPECT_EQ(If("PUT", "/shared/a/k", "If-None-Match", "*").status, 201);
  EXPECT_EQ(If("PUT", "/shared/a/k", "If-None-Match", "*").status, 412);
  EXPECT_EQ(If("PUT", "/shared/a/k", "If-Match", "\"9\"").status, 412);
  EXPECT_EQ(If("PUT", "/shared/a/k", "If-Match", "\"1\"").status, 200);
  EXPECT_EQ(If("DELETE", "/shared/a/k", "If-Match", "\"1\"").status, 412);
  EXPECT_EQ(If("DELETE", "/shared/a/k", "If-Match", "\"2\"").status, 204);
  for (const char* bad :
       {"\"\"", "\"x\"", "\"1", "\"-1\"", "W/\"1\"", "\"99999999999999999999\"", "\"1\", \"2\""})
    EXPECT_EQ(If("PUT", "/shared/a/k", "If-Match", bad).status, 400) << bad;
}

TEST_F(SharedRouteTest, ExpiredItemStaysExpiredWhenTheClockGoesBack) {
  ASSERT_EQ(Put(a_, "/shared/a/short?ttl=1h", "1").status, 201);
  ASSERT_EQ(Put(a_, "/shared/a/nano?ttl=3600000000000", "1").status, 201);
  ASSERT_EQ(Put(a_, "/shared/a/long?ttl=0", "1").status, 201);
  clock_.Advance(3'599'999);
  a_ = issuer_.IssueTo("team", "a-agent");
  EXPECT_EQ(Get(a_, "/shared/a/short").status, 200);
  clock_.Advance(1);
  EXPECT_EQ(Get(a_, "/shared/a/short").status, 404);
  EXPECT_EQ(Get(a_, "/shared/a/nano").status, 404);
  EXPECT_EQ(Get(a_, "/shared").body, Json({{"shared:a:long", 1}}));
  clock_.Jump(-1'800'000);
  EXPECT_EQ(Get(a_, "/shared/a/short").status, 404);
  EXPECT_EQ(If("PUT", "/shared/a/short", "If-None-Match", "*").status, 201);
  for (const char* bad : {"x", "-1", "-1s", "1h1", "99999999999h", "9223372036854775808"})
    EXPECT_EQ(Put(a_, std::string("/shared/a/k?ttl=") + bad, "1").status, 400) << bad;
}

TEST_F(SharedRouteTest, InvalidNamesAndBodiesAreRefusedUnchanged) {
  for (const char* owner : {"a%3Ab", "a%2Fb", "%C3%A4", "a%20b", "*"})
    EXPECT_EQ(Put(a_, std::string("/shared/") + owner + "/k", "1").status, 400) << owner;
  EXPECT_EQ(Put(a_, "/shared/" + std::string(64, 'a') + "/k", "1").status, 400);
  EXPECT_EQ(Put(a_, "/shared/a/" + std::string(201, 'k'), "1").status, 400);
  EXPECT_EQ(Put(a_, "/shared/a/" + std::string(200, 'k'), "1").status, 201);
  for (const char* body : {"", "{", "{\"a\":1,\"a\":2}", "\"\xff\"", "1 2", "NaN"})
    EXPECT_EQ(Put(a_, "/shared/a/k", body).status, 400) << body;
  const std::string most = "\"" + std::string(api::kMaxSharedValue - 2, 'x') + "\"";
  EXPECT_EQ(Put(a_, "/shared/a/large", most).status, 201);
  EXPECT_EQ(Put(a_, "/shared/a/large", most + " ").status, 200) << "white space is not kept";
  Answered over = Put(a_, "/shared/a/large", "\"x" + most.substr(1));
  EXPECT_EQ(over.status, 413);
  EXPECT_EQ(over.body["error"], "value has 65537 bytes of JSON, the limit is 65536");
  EXPECT_EQ(base::DumpJson(Get(a_, "/shared/a/large").body), most);
  EXPECT_EQ(Get(a_, "/shared?cursor=zz").status, 400);
  EXPECT_EQ(Get(a_, "/shared?cursor=61").status, 400);
}

TEST_F(SharedRouteTest, ListIsBoundedAndItsCursorReturnsTheRest) {
  std::set<std::string> written, found;
  const std::string value = "\"" + std::string(60'000, 'v') + "\"";
  for (int i = 0; i < 150; ++i) {  // 9 MB, more than an answer holds
    ASSERT_EQ(Put(a_, "/shared/a/k" + std::to_string(i), value).status, 201);
    written.insert("shared:a:k" + std::to_string(i));
  }
  ASSERT_EQ(Put(b_, "/shared/b/k", "1").status, 201);
  written.insert("shared:b:k");
  Grant("get");
  std::string cursor;
  int pages = 0;
  do {
    Answered page = Get(b_, "/shared" + (cursor.empty() ? "" : "?cursor=" + cursor));
    ASSERT_EQ(page.status, 200);
    ASSERT_LT(base::DumpJson(page.body).size(), size_t{8} << 20);
    for (const auto& [key, kept] : page.body.items()) EXPECT_TRUE(found.insert(key).second) << key;
    cursor = page.headers.Get("X-Next-Cursor").value_or("");
    EXPECT_EQ(page.headers.Get("X-Partial").has_value(), !cursor.empty());
  } while (!cursor.empty() && ++pages < 10);
  EXPECT_EQ(found, written);
}

TEST_F(SharedRouteTest, SqliteExportContainsNoSharedItem) {
  if (ChosenStore::OnPostgres()) GTEST_SKIP() << "the shared engine makes no files";
  ASSERT_EQ(Put(a_, "/shared/a/plan", R"("xylophone-shared")").status, 201);
  http::ClientRequest request;
  request.method = "GET";
  request.target = "/export?format=sqlite";
  request.headers.Set("Authorization", "Bearer " + b_);
  auto file = client_->Send(request);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->status, 200);
  EXPECT_EQ(file->body.find("xylophone-shared"), std::string::npos);
}

class NamedSharedTest : public ApiTest {
 protected:
  NamedSharedTest() {
    EXPECT_TRUE(base::ReplaceFile(scratch_.File("share.json"),
                                  R"({"a": [{"agents": ["b"], "access": "read"}]})"));
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    settings.share_file = scratch_.File("share.json");
    auto server = StartServer(settings);
    EXPECT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
  }
  Answered Put(const std::string& target, const std::string& body) {
    return Send(*client_, "PUT", target, body);
  }
};

TEST_F(NamedSharedTest, WithoutIdentityTheClaimedNameCounts) {
  EXPECT_EQ(Put("/shared/a/plan?as=a", "1").status, 201);
  EXPECT_EQ(Put("/shared/b/plan?as=b", "2").status, 201);
  EXPECT_EQ(Put("/shared/a/plan?as=b", "3").status, 403);
  EXPECT_EQ(Put("/shared/a/plan", "3").status, 403) << "nobody's name";
  EXPECT_EQ(Get("/shared/a/plan?as=b").body, Json(1));
  EXPECT_EQ(Get("/shared/b/plan?as=a").status, 404);
  EXPECT_EQ(Get("/shared/b/plan").body, Json(2));
  EXPECT_EQ(Get("/shared?as=a").body, Json({{"shared:a:plan", 1}}));
  EXPECT_EQ(Get("/shared?as=b").body, Json({{"shared:a:plan", 1}, {"shared:b:plan", 2}}));
  EXPECT_EQ(Get("/shared").body, Json({{"shared:a:plan", 1}, {"shared:b:plan", 2}}))
      << "the supervisor";
  EXPECT_EQ(Delete("/shared/a/plan?as=b").status, 403);
  EXPECT_EQ(Delete("/shared/b/plan?as=a").status, 404);
  EXPECT_EQ(Delete("/shared/a/plan?as=a").status, 204);
  EXPECT_EQ(Get("/shared?as=a%3Ab").status, 400);
}

}  // namespace
}  // namespace memory
