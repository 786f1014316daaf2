// Export and import, through the port.
#include "memory/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, AnExportTakenInElsewhereIsTheSameAndTwiceIsSkipped) {
  Post("/sessions", {{"id", "s-p"}, {"project", "p"}});
  Json topic = NoteBody("kept");
  topic["topic_key"] = "k";
  MustPost(topic);
  MustPost(topic);
  MustPost(NoteBody("other", "q"));
  Send(*client_, "DELETE", "/observations/2", "");
  MustPost(NoteBody("third", "q"));
  Post("/sessions/s-p/end", {{"messages", {{{"role", "user"}, {"content", "hi"}}}}});
  Json exported = Get("/export").body;
  EXPECT_EQ(exported["format"], "agent-memory/1");
  ASSERT_EQ(exported["observations"].size(), 2u);
  EXPECT_EQ(Get("/export?project=Q").body["observations"].size(), 1u);
  EXPECT_EQ(Get("/export?project=unknown").body["observations"], Json::array());

  server_.reset();
  scratch_.Clear("data");
  Start();
  Answered answer = Post("/import", exported);
  EXPECT_EQ(answer.body, (Json{{"imported_sessions", 2},
                               {"imported_observations", 2},
                               {"skipped", 0},
                               {"errors", Json::array()}}));
  Json again = Get("/export").body;
  EXPECT_EQ(again["sessions"], exported["sessions"]);
  EXPECT_EQ(again["observations"], exported["observations"]);
  EXPECT_EQ(Post("/import", exported).body["skipped"], 4);
  EXPECT_EQ(MustPost(NoteBody("next", "q")), 4);
}

TEST_F(ApiTest, AnImportListsWhatItRefusesAndOverwritesNothing) {
  MustPost(NoteBody("mine"));
  Json row = Get("/observations/1").body;
  Json other = row;
  other["content"] = "theirs";
  other["created_at"] = "2020-01-01T00:00:00Z";
  Json bad = row;
  bad["title"] = "";
  Answered answer =
      Post("/import", {{"observations", {other, bad, row}}, {"sessions", {{{"id", "x"}}}}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["imported_observations"], 1);
  EXPECT_EQ(answer.body["skipped"], 1);
  ASSERT_EQ(answer.body["errors"].size(), 2u);
  EXPECT_EQ(answer.body["errors"][0]["index"], 1);
  EXPECT_EQ(Get("/observations/1").body["content"], "mine");
  EXPECT_EQ(Get("/observations/2").body["content"], "theirs");
  EXPECT_EQ(Get("/observations/2").body["duplicate_count"], 0);
  EXPECT_EQ(PostText("/import", "{\"observations\": [").status, 400);
  EXPECT_EQ(Post("/import", {{"format", "other/9"}}).status, 400);
}

TEST_F(ApiTest, AReferenceExportCountsItsDuplicatesFromOne) {
  Json row = {{"id", 7},
              {"session_id", "s"},
              {"type", "lesson"},
              {"title", "t"},
              {"content", "c"},
              {"project", "p"},
              {"duplicate_count", 3},
              {"revision_count", 2},
              {"created_at", "2026-01-01T00:00:00Z"}};
  EXPECT_EQ(Post("/import", {{"exported_at", "2026-01-02T00:00:00Z"}, {"observations", {row}}})
                .body["imported_observations"],
            1);
  Json stored = Get("/observations/7").body;
  EXPECT_EQ(stored["duplicate_count"], 2);
  EXPECT_EQ(stored["revision_count"], 2);
  EXPECT_EQ(stored["source"]["origin"], "agent");
}

}  // namespace
}  // namespace memory
