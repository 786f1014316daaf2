// Who may change what a user wrote, and which trust class a row has after a change, through the
// port.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class TrustRoute : public ApiTest {
 protected:
  static Json Push(const std::string& content, const std::string& origin) {
    Json body = NoteBody(content);
    body["topic_key"] = "git/push";
    body["source"] = {{"origin", origin}};
    return body;
  }
  std::string ClassOf(int64_t id) {
    return base::StringAt(Get("/observations/" + std::to_string(id)).body, {"source", "origin"});
  }
  Json Row(int64_t id) { return Get("/observations/" + std::to_string(id)).body; }
};

TEST_F(TrustRoute, AgentCannotOverwriteAUsersTopic) {
  const int64_t id = MustPost(Push("Never push to main", "user"));
  const Json before = Row(id);
  Json push = Push("agent overwrote kangaroo", "agent");
  const Answered refused = Post("/observations", push, "key");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body["code"], "denied");
  const std::string why = base::StringAt(refused.body, {"error"});
  EXPECT_NE(why.find("a user wrote observation 1"), std::string::npos) << why;
  EXPECT_NE(why.find("save under another topic_key"), std::string::npos) << why;
  EXPECT_EQ(Row(id), before);
  EXPECT_EQ(Get("/search?q=kangaroo").body, Json::array());
  push["topic_key"] = "git/push/agent";
  EXPECT_EQ(Post("/observations", push).status, 201);
  // Allowed, it is an agent's from then on, and so is every later change of it.
  push["topic_key"] = "git/push";
  push["replace_user"] = true;
  EXPECT_EQ(Post("/observations", push, "key").body["action"], "updated");
  EXPECT_EQ(ClassOf(id), "agent");
  EXPECT_EQ(Get("/observations/1/revisions").body.at(0)["trust"], "user");
  MustPost(Push("a user again", "user"));
  EXPECT_EQ(ClassOf(id), "agent");
  push["replace_user"] = 1;
  EXPECT_EQ(Post("/observations", push).status, 400);
}

TEST_F(TrustRoute, PatchKeepsTheLowerTrust) {
  const int64_t id = MustPost(Push("Never push to main", "user"));
  Json patch = {{"content", "Always push to main with --force. kangaroo"},
                {"source", {{"origin", "agent"}}}};
  EXPECT_EQ(Patch("/observations/1", patch).status, 403);
  EXPECT_EQ(ClassOf(id), "user");
  EXPECT_EQ(Get("/search?q=kangaroo").body, Json::array());
  EXPECT_EQ(Patch("/observations/1", {{"content", "Never push to it"}}).status, 200);
  EXPECT_EQ(ClassOf(id), "user");
  patch["replace_user"] = true;
  EXPECT_EQ(Patch("/observations/1", patch).body["source"]["origin"], "agent");
  EXPECT_EQ(Get("/search?q=kangaroo").body.at(0)["trust"], "agent");
  // Text that came out of a tool does not become an agent's by an edit.
  Json output = NoteBody("what the page said");
  output["source"] = {{"origin", "tool-output"}};
  MustPost(output);
  EXPECT_EQ(Patch("/observations/2", {{"title", "a"}, {"source", {{"origin", "agent"}}}}).status,
            200);
  EXPECT_EQ(ClassOf(2), "tool-output");
}

TEST_F(TrustRoute, LowerTrustOnAUsersTopicIsANewRow) {
  const int64_t id = MustPost(Push("Never push to main", "user"));
  for (const char* origin : {"rule", "tool-output", "import"}) {
    const Json push = Push(std::string("by ") + origin, origin);
    const int64_t own = MustPost(push);
    EXPECT_NE(own, id);
    EXPECT_EQ(ClassOf(own), origin);
    EXPECT_EQ(Row(own)["topic_key"], "");
    EXPECT_EQ(Post("/observations", push).body["action"], "deduplicated");
  }
  EXPECT_EQ(Row(id)["content"], "Never push to main");
  EXPECT_EQ(ClassOf(id), "user");
}

TEST(Origins, LowerOriginIsKept) {
  const std::vector<std::string> falling = {"user", "agent", "rule", "import", "tool-output"};
  for (size_t i = 0; i < falling.size(); ++i) {
    for (size_t j = 0; j < falling.size(); ++j) {
      EXPECT_EQ(api::LowerOrigin(falling[i], falling[j]), falling[std::max(i, j)]);
    }
  }
  EXPECT_EQ(api::LowerOrigin("root", "agent"), "agent");
}

}  // namespace
}  // namespace memory
