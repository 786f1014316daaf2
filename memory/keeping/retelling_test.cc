// A save that says in other words what its session says already, through the routes.
#include "memory/keeping/retelling.h"

#include <string>

#include "lib/api/memory_api.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class RetellingTest : public ApiTest {
 protected:
  static Json Made(const std::string& content, const char* origin, const char* type,
                   const std::string& session = "s1") {
    Json body = NoteBody(content);
    body["title"] = content;
    body["type"] = type;
    body["session_id"] = session;
    body["source"] = {{"origin", origin}};
    return body;
  }
  // As a hook saves what a prompt states.
  static Json Stated(const std::string& content) {
    Json body = Made(content, api::kOriginUser, "convention");
    body["source"]["rule"] = "stated";
    body["topic_key"] = "stated/" + content;
    return body;
  }
  static Json Noted(const std::string& content, const std::string& topic = "",
                    const char* type = "convention") {
    Json body = Made(content, api::kOriginAgent, type);
    if (!topic.empty()) body["topic_key"] = topic;
    return body;
  }
  Json Save(const Json& body) {
    const Answered answer = Post("/observations", body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.body;
  }
  Json Row(int64_t id) { return Get("/observations/" + std::to_string(id)).body; }
};

TEST_F(RetellingTest, AgentsRewordingOfItsUserIsDeduplicated) {
  Save(Stated("Use pnpm, not npm, for the scripts."));
  const Json note =
      Noted("Package scripts are run with pnpm, not with npm.", "tooling/pnpm", "discovery");
  const Json saved = Save(note);
  EXPECT_EQ(saved["id"], 1);
  EXPECT_EQ(saved["action"], "deduplicated");
  EXPECT_EQ(saved["revision_count"], 3);
  EXPECT_EQ(saved["duplicate_count"], 1);
  const Json row = Row(1);
  EXPECT_EQ(row["content"], "Use pnpm, not npm, for the scripts.");
  EXPECT_EQ(row["source"]["origin"], "user");
  EXPECT_EQ(row["type"], "convention");
  const Json revisions = Get("/observations/1/revisions").body;
  ASSERT_EQ(revisions.size(), 3u);  // with the present one
  const std::string texts = base::DumpJson(revisions);
  EXPECT_NE(texts.find("Package scripts are run with pnpm"), std::string::npos) << texts;
  EXPECT_NE(texts.find("Use pnpm, not npm"), std::string::npos) << texts;
  // The same words again are counted alone.
  EXPECT_EQ(Save(note)["revision_count"], 3);
  EXPECT_EQ(Get("/stats").body["total_observations"], 1);
}

TEST_F(RetellingTest, AddedReasonOrNumberIsANewRow) {
  Save(Stated("Use pnpm, not npm, for the scripts."));
  EXPECT_EQ(Save(Noted("Use pnpm, not npm, for the scripts, because npm is slow."))["action"],
            "created");
  EXPECT_EQ(Save(Noted("Use pnpm 9, not npm 9, for the scripts."))["action"], "created");
  EXPECT_EQ(Save(Noted("Use npm, not pnpm, for the scripts."))["action"], "created");
  EXPECT_EQ(Row(1)["revision_count"], 1);
}

TEST_F(RetellingTest, AgentsLongerTextUpdatesItsRow) {
  Save(Noted("The broker restarts at night, since the import fills its disk.", "", "bugfix"));
  const std::string more =
      "The broker restarts at night, since the import fills its disk; the limit is 20 GB.";
  const Json saved = Save(Noted(more, "broker/restarts", "bugfix"));
  EXPECT_EQ(saved["id"], 1);
  EXPECT_EQ(saved["action"], "updated");
  EXPECT_EQ(saved["revision_count"], 2);
  EXPECT_EQ(Row(1)["content"], more);
  EXPECT_EQ(Row(1)["topic_key"], "broker/restarts");
  EXPECT_EQ(Get("/observations/1/revisions").body.at(0)["content"],
            "The broker restarts at night, since the import fills its disk.");
  EXPECT_EQ(IdsOf(Get("/search?q=broker").body), std::vector<int64_t>({1}));
  // What it says less is counted.
  const Json less = Save(Noted("The broker restarts at night.", "", "bugfix"));
  EXPECT_EQ(less["action"], "deduplicated");
  EXPECT_EQ(less["revision_count"], 2);
}

TEST_F(RetellingTest, OtherSessionScopeTypeOrTopicIsANewRow) {
  const std::string fact = "The broker restarts at night.", again = "At night the broker restarts.";
  Save(Noted(fact, "broker/restarts", "bugfix"));
  Json other = Noted(again, "", "bugfix");
  other["session_id"] = "s2";
  EXPECT_EQ(Save(other)["action"], "created");
  other = Noted(again, "", "bugfix");
  other["scope"] = "global";
  EXPECT_EQ(Save(other)["action"], "created");
  EXPECT_EQ(Save(Noted(again, "", "decision"))["action"], "created");
  EXPECT_EQ(Save(Noted(again, "another/topic", "bugfix"))["action"], "created");
  other = Noted("At night, the broker restarts.", "", "bugfix");
  other["source"]["origin"] = api::kOriginRule;
  EXPECT_EQ(Save(other)["action"], "created");
  other["content"] = "At night: the broker restarts.";
  other["source"]["origin"] = api::kOriginUser;  // a client that saves for itself
  EXPECT_EQ(Save(other)["action"], "created");
}

TEST_F(RetellingTest, DigestsAndHiddenRowsAreNotMatched) {
  Save(Made("Goal: the broker restarts at night.", api::kOriginAgent, "session"));
  EXPECT_EQ(
      Save(Made("The broker restarts at night: the goal.", api::kOriginAgent, "session"))["action"],
      "created");
  const Json saved = Save(Noted("Deploys happen on Tuesdays only."));
  EXPECT_EQ(Delete("/observations/" + base::DumpJson(saved["id"])).status, 204);
  EXPECT_EQ(Save(Noted("Deploys happen only on Tuesdays."))["action"], "created");
}

TEST_F(RetellingTest, RestatedPromptUpdatesTheUsersRow) {
  Save(Stated("Use pnpm, not npm, for the scripts."));
  const Json saved = Save(Stated("Use pnpm 9, not npm, for the scripts."));
  EXPECT_EQ(saved["id"], 1);
  EXPECT_EQ(saved["action"], "updated");
  EXPECT_EQ(Row(1)["source"]["origin"], "user");
  Save(Noted("The broker restarts at night."));
  EXPECT_EQ(Save(Stated("The broker restarts at night."))["action"], "created");
}

}  // namespace
}  // namespace memory
