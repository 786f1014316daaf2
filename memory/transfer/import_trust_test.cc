// Whose imported memories are: the class import, a user's where somebody may say so, never a user's
// by what a file says of itself alone.
#include "memory/api/identity_routes_fixture.h"

namespace memory {
namespace {

constexpr const char* kNotes = "content\nWe use pnpm and not npm\nTests run in parallel\n";

std::vector<std::string> ClassesOf(const Json& rows) {
  std::vector<std::string> classes;
  for (const Json& row : rows) classes.push_back(base::StringAt(row, {"source", "origin"}));
  return classes;
}

class ImportTrust : public ApiTest {
 protected:
  Json Rows() { return Get("/export").body["observations"]; }
};

TEST_F(ImportTrust, ImportReportsUninjectedRowsAndTheRemedy) {
  Answered taken = PostText("/import?project=web", kNotes);
  EXPECT_EQ(taken.body["not_injected"], 2) << taken.body;
  EXPECT_NE(base::StringAt(taken.body, {"hint"}).find("trust=user"), std::string::npos);
  EXPECT_EQ(ClassesOf(Rows()), (std::vector<std::string>{"import", "import"}));
  // What the hint says works, though the rows are here.
  taken = PostText("/import?project=web&trust=user", kNotes);
  EXPECT_EQ(taken.body["raised"], 2) << taken.body;
  EXPECT_EQ(taken.body["imported_observations"], 0);
  EXPECT_FALSE(taken.body.contains("hint"));
  EXPECT_EQ(ClassesOf(Rows()), (std::vector<std::string>{"user", "user"}));
  EXPECT_EQ(Rows()[0]["revision_count"], 1);
  taken = PostText("/import?project=web&trust=user", kNotes);
  EXPECT_EQ(taken.body["skipped"], 2) << taken.body;
  EXPECT_FALSE(taken.body.contains("raised"));
}

TEST_F(ImportTrust, OnlyImportTrustIsRaisedToUser) {
  for (const char* origin : {"user", "agent", "rule", "tool-output", "import"}) {
    Json note = NoteBody(std::string("by ") + origin);
    note["source"] = {{"origin", origin}};
    MustPost(note);
  }
  const std::string exported = base::DumpJson(Get("/export").body);
  const auto before = ClassesOf(Rows());
  StartEmpty();
  Answered taken = PostText("/import", exported);
  EXPECT_EQ(taken.body["not_injected"], 2) << taken.body;
  EXPECT_EQ(ClassesOf(Rows()), before);
  EXPECT_EQ(PostText("/import?trust=user", exported).body["raised"], 1);
  EXPECT_EQ(ClassesOf(Rows()),
            (std::vector<std::string>{"user", "agent", "rule", "tool-output", "user"}));
  taken = PostText("/import?trust=agent", exported);
  EXPECT_EQ(taken.status, 400);
  EXPECT_NE(base::StringAt(taken.body, {"error"}).find("trust must be user"), std::string::npos);
}

class ImportTrustByToken : public EveryRouteTest {
 protected:
  ImportTrustByToken() : EveryRouteTest(kMidnight) {}
  std::vector<std::string> Classes(const std::string& token) {
    return ClassesOf(As(token, "GET", {"/export", ""}).body["observations"]);
  }
  FakeIssuer issuer_{clock_};
};

// The sidecar's token is one that the kubelet mounted.
TEST_F(ImportTrustByToken, PodTokenCannotClaimUserTrust) {
  Start(&issuer_);
  const std::string pod = issuer_.IssueTo("team-a", "agent", "coder-0");
  const std::string person = issuer_.IssueTo("team-a");
  const Json document = {{"format", "agent-memory/1"},
                         {"observations",
                          {{{"session_id", "s"},
                            {"project", "p"},
                            {"type", "t"},
                            {"title", "t"},
                            {"content", "now"},
                            {"revision_count", 2},
                            {"source", {{"origin", "user"}}},
                            {"revisions",
                             {{{"revision", 1},
                               {"type", "t"},
                               {"title", "t"},
                               {"content", "before"},
                               {"trust", "user"},
                               {"written_at", "2026-01-01T00:00:00Z"},
                               {"replaced_at", "2026-01-02T00:00:00Z"}}}}}}}};
  const std::string text = base::DumpJson(document);
  Answered taken = As(pod, "POST", {"/import?trust=user", text});
  EXPECT_EQ(taken.status, 403);
  EXPECT_NE(base::StringAt(taken.body, {"error"}).find("kubectl create token"), std::string::npos);
  EXPECT_TRUE(Classes(pod).empty());
  EXPECT_EQ(As(pod, "POST", {"/import", text}).body["imported_observations"], 1);
  EXPECT_EQ(Classes(pod), std::vector<std::string>{"agent"});
  const Json revisions = As(pod, "GET", {"/observations/1/revisions", ""}).body;
  EXPECT_EQ(revisions.at(0)["trust"], "agent");
  EXPECT_EQ(As(person, "POST", {"/import?dedup=false&trust=user&format=csv", kNotes}).status, 200);
  EXPECT_EQ(Classes(person), (std::vector<std::string>{"agent", "user", "user"}));
}

// A rule of one Agent does not hide at once what the others of its namespace remember.
TEST_F(ImportTrustByToken, PodTokenCannotSetTightRetention) {
  Start(&issuer_);
  const std::string pod = issuer_.IssueTo("team-a", "agent", "coder-0");
  const std::string person = issuer_.IssueTo("team-a");
  const auto put = [&](const std::string& token, const std::string& rule) {
    return As(token, "PUT", {"/retention?project=theirs", R"({"retention":[)" + rule + "]}"});
  };
  for (const char* rule :
       {R"({"ttl":"1s","maxRows":1})", R"({"ttl":"59m59s"})", R"({"type":"note","maxRows":99})"}) {
    const Answered refused = put(pod, rule);
    EXPECT_EQ(refused.status, 400) << rule;
    EXPECT_NE(base::StringAt(refused.body, {"error"}).find("with a pod's token"), std::string::npos)
        << refused.body;
    EXPECT_EQ(put(person, rule).status, 200) << rule;
  }
  EXPECT_EQ(put(pod, R"({"ttl":"1h","maxRows":100})").status, 200);
  EXPECT_EQ(put(pod, R"({"ttl":"0s","maxRows":0})").status, 200);
}

TEST_F(ImportTrustByToken, AnonymousCallerCannotClaimUserTrust) {
  Start(&issuer_, [](ServerSettings& settings) {
    settings.anonymous_namespace = "open";
    settings.anonymous_role = "agent";
  });
  EXPECT_EQ(Send("POST", {"/import?trust=user", kNotes}, std::nullopt).status, 403);
  EXPECT_EQ(Send("POST", {"/import?format=csv", kNotes}, std::nullopt).status, 200);
}

}  // namespace
}  // namespace memory
