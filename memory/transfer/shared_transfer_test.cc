// Shared memory in exports and imports: what comes back, and who may export or import it.
#include "lib/api/limits.h"
#include "memory/api/identity_routes_fixture.h"
#include "memory/identity/access_fixture.h"

namespace memory {
namespace {

class SharedTransferTest : public ApiTest {
 protected:
  Answered Put(const std::string& target, const std::string& body) {
    return Send(*client_, "PUT", target, body);
  }
  std::string ExportText(const std::string& query) {
    http::ClientRequest request;
    request.target = "/export" + query;
    const auto exported = client_->Send(request);
    EXPECT_TRUE(exported);
    return exported ? exported->body : "";
  }
  // Without the time of the export.
  Json Exported(const std::string& query = "") {
    Json exported = Get("/export" + query).body;
    exported.erase("exported_at");
    return exported;
  }
  static std::string Line(const std::string& key, const Json& fields = Json::object()) {
    Json line = {{"kind", "shared"}, {"agent", "a"}, {"key", key}, {"value", 1}, {"version", 1}};
    line.update(fields);
    return base::DumpJson(line) + "\n";
  }
  Answered ImportLines(const std::string& lines, const std::string& query = "?as=a") {
    const std::string head = R"({"kind":"export","format":"agent-memory/1"})";
    return PostText("/import" + query, head + "\n" + lines + "{\"kind\":\"end\"}\n");
  }
};

TEST_F(SharedTransferTest, LiveValuesComeBackOnceWithVersionAndExpiry) {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  ASSERT_EQ(Put("/shared/a/plan?as=a", R"({"steps": ["read", null, 1.5]})").status, 201);
  ASSERT_EQ(Put("/shared/a/plan?as=a", R"({"steps": ["read", null, 2.5]})").status, 200);
  ASSERT_EQ(Put("/shared/a/a%2Fb%20%C3%A4?as=a&ttl=1h", "null").status, 201);
  EXPECT_EQ(Put("/shared/a/deep?as=a", deep).status, 400);
  // As of an earlier version, which accepted it.
  ASSERT_EQ(ImportLines(Line("deep", {{"text", deep}, {"version", 4}})).body["imported_shared"], 1);
  ASSERT_EQ(Put("/shared/a/over?as=a&ttl=1s", "\"xylophone\"").status, 201);
  ASSERT_EQ(Put("/items/k", R"({"value":1})").status, 201);
  clock_.Advance(60'000);
  clock_.Jump(5'000);  // the wall clock alone
  const Json before = Exported(), list = Get("/shared").body;
  ASSERT_EQ(before["shared"].size(), 3u) << before["shared"];
  EXPECT_EQ(before["shared"][1]["expires_at"], "2026-04-12T01:00:05Z");
  const std::string json = ExportText(""), lines = ExportText("?format=jsonl");
  EXPECT_EQ(json.find("xylophone"), std::string::npos) << "expired";
  EXPECT_EQ(lines.find("xylophone"), std::string::npos);
  for (const std::string* text : {&json, &lines}) {
    StartEmpty();
    clock_.Jump(7'000);
    const Answered imported = PostText("/import?as=a", *text);
    ASSERT_EQ(imported.status, 200) << imported.body;
    EXPECT_EQ(imported.body["imported_shared"], 3);
    EXPECT_EQ(imported.body["imported_items"], 1);
    EXPECT_EQ(imported.body["errors"], Json::array());
    EXPECT_EQ(Get("/shared").body, list);
    EXPECT_EQ(Get("/shared/a/plan").headers.Get("ETag"), "\"2\"");
    EXPECT_EQ(Get("/shared/a/deep").body, *base::ParseJson(deep));
    EXPECT_EQ(Exported()["shared"], before["shared"]);
    clock_.Advance(1'000);
    const Answered again = PostText("/import?as=a", *text);
    EXPECT_EQ(again.body["imported_shared"], 0);
    EXPECT_EQ(again.body["skipped"], 4) << again.body;
    EXPECT_EQ(Exported()["shared"], before["shared"]);
    EXPECT_EQ(Put("/shared/a/new?as=a", "1").body["version"], 5) << "no version is given twice";
    clock_.Jump(-8'000);
  }
  clock_.Advance(3'531'000);
  EXPECT_EQ(Get("/shared/a/a%2Fb%20%C3%A4").status, 200);
  clock_.Advance(1'000);
  EXPECT_EQ(Get("/shared/a/a%2Fb%20%C3%A4").status, 404) << "3,533 s after the import";
  StartEmpty();
  clock_.Advance(8'000);
  const Answered late = PostText("/import?as=a", lines);
  EXPECT_EQ(late.body["imported_shared"], 2) << "expired since: " << late.body;
  EXPECT_EQ(late.body["errors"], Json::array());
}

TEST_F(SharedTransferTest, ImportReplacesNoLiveValue) {
  ASSERT_EQ(Put("/shared/a/plan?as=a", "\"here\"").status, 201);
  ASSERT_EQ(Put("/shared/a/short?as=a&ttl=1s", "1").status, 201);
  clock_.Advance(1'000);
  const Answered imported = ImportLines(Line("plan", {{"version", 7}}) + Line("short"));
  EXPECT_EQ(imported.body["imported_shared"], 1) << imported.body;
  EXPECT_EQ(imported.body["skipped"], 1);
  EXPECT_EQ(Get("/shared/a/plan").body, "here");
  EXPECT_EQ(Get("/shared/a/short").body, 1) << "what is over is not there";
}

TEST_F(SharedTransferTest, ExportOfAProjectOrOfNotesHasNone) {
  ASSERT_EQ(Put("/shared/a/plan?as=a", "\"xylophone\"").status, 201);
  MustPost(NoteBody("words", "p"));
  for (const char* query : {"?project=p", "?project=p&format=jsonl", "?format=sqlite",
                            "?format=notes", "?format=obsidian", "?format=agentos-json"})
    EXPECT_EQ(ExportText(query).find("xylophone"), std::string::npos) << query;
  EXPECT_NE(ExportText("").find("xylophone"), std::string::npos);
}

TEST_F(SharedTransferTest, WithoutIdentityTheClaimedNameCounts) {
  ASSERT_EQ(Put("/shared/a/plan?as=a", "1").status, 201);
  ASSERT_EQ(Put("/shared/b/plan?as=b", "2").status, 201);
  const std::string all = ExportText("?format=jsonl");
  ASSERT_EQ(Exported("?as=b")["shared"].size(), 1u);
  EXPECT_EQ(Exported("?as=b")["shared"][0]["agent"], "b");
  EXPECT_EQ(Exported()["shared"].size(), 2u) << "the supervisor";
  EXPECT_EQ(Get("/export?as=a%3Ab").status, 400);
  StartEmpty();
  const Answered nobody = PostText("/import", all);
  EXPECT_EQ(nobody.status, 200);
  EXPECT_EQ(nobody.body["imported_shared"], 0);
  ASSERT_EQ(nobody.body["errors"].size(), 2u) << nobody.body;
  EXPECT_EQ(nobody.body["errors"][0]["kind"], "shared");
  EXPECT_EQ(nobody.body["errors"][0]["line"], 2);
  EXPECT_EQ(nobody.body["errors"][0]["error"],
            "a caller without a name (?as=) may not write what Agent a shares: its "
            "spec.memory.share must grant access: write");
  EXPECT_EQ(Get("/shared").body, Json::object()) << "the supervisor changes nothing";
  const Answered one = PostText("/import?as=b", all);
  EXPECT_EQ(one.body["imported_shared"], 1);
  EXPECT_EQ(one.body["errors"].size(), 1u);
  EXPECT_EQ(Get("/shared").body, Json({{"shared:b:plan", 2}}));
  EXPECT_EQ(PostText("/import?as=a%3Ab", all).status, 400);
}

TEST_F(SharedTransferTest, InvalidRowsAreRefusedEachByItself) {
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  const std::string large = "\"" + std::string(api::kMaxSharedValue, 'v') + "\"";
  const std::string lines =
      Line("good") + Line("large", {{"text", large}}) + Line("deep", {{"text", deep}}) +
      Line(std::string(201, 'k')) + Line("") + Line("agent", {{"agent", "a:b"}}) +
      Line("expiry", {{"expires_at", "soon"}}) + Line("version", {{"version", "x"}});
  const Answered imported = ImportLines(lines);
  EXPECT_EQ(imported.status, 200);
  EXPECT_EQ(imported.body["imported_shared"], 1);
  ASSERT_EQ(imported.body["errors"].size(), 7u) << imported.body;
  EXPECT_EQ(imported.body["errors"][0]["error"],
            "value has 65538 bytes of JSON, the limit is 65536");
  EXPECT_EQ(Get("/shared").body, Json({{"shared:a:good", 1}}));
}

TEST_F(SharedTransferTest, ImportBeyondAnOwnersLimitIs507AndNamesIt) {
  const std::string value = "\"" + std::string(api::kMaxSharedValue - 2, 'v') + "\"";
  for (int i = 0; i < 255; ++i)
    ASSERT_EQ(Put("/shared/a/k" + std::to_string(i) + "?as=a", value).status, 201);
  const Answered full = ImportLines(Line("more", {{"text", value}}));
  EXPECT_EQ(full.status, 507) << full.body;
  EXPECT_NE(base::StringAt(full.body, {"error"}).find("shared-bytes: Agent a"), std::string::npos);
  EXPECT_EQ(Get("/shared/a/more").status, 404);
  ASSERT_EQ(Delete("/shared/a/k0?as=a").status, 204);
  EXPECT_EQ(ImportLines(Line("more", {{"text", value}})).body["imported_shared"], 1);
}

TEST_F(SharedTransferTest, ImportAsksForAThousandOwnersAtMost) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += Line("k", {{"agent", "b" + std::to_string(i)}});
  const Answered imported = ImportLines(lines + Line("k"));
  EXPECT_EQ(imported.body["imported_shared"], 0);
  ASSERT_EQ(imported.body["errors"].size(), 1001u);
  EXPECT_EQ(imported.body["errors"][1000]["error"], "one import writes for at most 1000 Agents");
  EXPECT_EQ(ImportLines(Line("k")).body["imported_shared"], 1);
}

class SharedTransferRights : public EveryRouteTest {
 protected:
  SharedTransferRights() : EveryRouteTest(kMidnight), issuer_(clock_) {
    Start(&issuer_, {}, &cluster_);
    a_ = issuer_.IssueTo("team", "a-agent");
    b_ = issuer_.IssueTo("team", "b-agent");
    EXPECT_EQ(As(a_, "PUT", {"/shared/a/plan", "\"xylophone\""}).status, 201);
    EXPECT_EQ(As(b_, "PUT", {"/shared/b/plan", "\"of b\""}).status, 201);
  }
  void Grant(const std::string& question) {
    cluster_.Allow(question);
    clock_.Advance(10'000);
  }
  // The owners of shared values in an export.
  std::vector<std::string> OwnersFor(const std::string& token, const std::string& query = "") {
    std::vector<std::string> owners;
    const Answered exported = As(token, "GET", {"/export" + query, ""});
    EXPECT_EQ(exported.status, 200) << exported.body;
    for (const Json& one : exported.body.value("shared", Json::array()))
      owners.push_back(one["agent"]);
    return owners;
  }
  Answered Import(const std::string& token, const Json& exported) {
    return As(token, "POST", {"/import", base::DumpJson(exported)});
  }
  using Owners = std::vector<std::string>;

  FakeIssuer issuer_;
  FakeAuthorizer cluster_;
  std::string a_, b_;
};

TEST_F(SharedTransferRights, ExportHasWhatTheCallerMayRead) {
  const std::string supervisor = issuer_.IssueTo("team", "supervisor");
  EXPECT_EQ(OwnersFor(a_), Owners({"a"}));
  EXPECT_EQ(OwnersFor(b_), Owners({"b"}));
  EXPECT_EQ(OwnersFor(b_, "?as=a"), Owners({"b"})) << "claimed names are ignored";
  EXPECT_EQ(OwnersFor(supervisor), Owners());
  EXPECT_EQ(OwnersFor(issuer_.IssueTo("next-door", "a-agent")), Owners()) << "another tenant";
  Grant("team/b-agent/get/a");
  EXPECT_EQ(OwnersFor(b_), Owners({"a", "b"}));
  EXPECT_EQ(OwnersFor(a_), Owners({"a"}));
  Grant("team/supervisor/list/");
  EXPECT_EQ(OwnersFor(supervisor), Owners({"a", "b"}));
  cluster_.SetDown(true);
  clock_.Advance(10'000);
  EXPECT_EQ(As(b_, "GET", {"/export", ""}).status, 503) << "never a part that looks whole";
  EXPECT_EQ(As(b_, "GET", {"/export?project=p", ""}).status, 200) << "of a project: none is there";
}

TEST_F(SharedTransferRights, ImportWritesOnlyWhereTheCallerMay) {
  Grant("team/b-agent/get/a");
  Json exported = As(b_, "GET", {"/export", ""}).body;
  ASSERT_EQ(exported["shared"].size(), 2u);
  ASSERT_EQ(As(a_, "DELETE", {"/shared/a/plan", ""}).status, 204);
  const Answered reader = Import(b_, exported);
  EXPECT_EQ(reader.status, 200);
  EXPECT_EQ(reader.body["imported_shared"], 0);
  EXPECT_EQ(reader.body["skipped"], 1) << "its own is here";
  ASSERT_EQ(reader.body["errors"].size(), 1u) << reader.body;
  EXPECT_EQ(reader.body["errors"][0]["kind"], "shared");
  EXPECT_EQ(reader.body["errors"][0]["error"],
            "this Agent may not write what Agent a shares: its spec.memory.share must grant "
            "access: write");
  EXPECT_EQ(As(a_, "GET", {"/shared/a/plan", ""}).status, 404);
  cluster_.SetDown(true);
  clock_.Advance(10'000);
  EXPECT_EQ(Import(b_, exported).status, 503);
  cluster_.SetDown(false);
  Grant("team/b-agent/update/a");
  EXPECT_EQ(Import(b_, exported).body["imported_shared"], 1);
  EXPECT_EQ(As(a_, "GET", {"/shared/a/plan", ""}).body, "xylophone");
}

}  // namespace
}  // namespace memory
