// Routes that find and count: search, context, timeline, stats.
#include "lib/base/text/text.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, SearchRanksBySignificantWordsAndReturnsAllFields) {
  MustPost(NoteBody("the zeppelin crashed into a tower of paper"));
  MustPost(NoteBody("paper is made of wood"));
  Answered answer =
      Get("/search?q=" + http::PercentEncode("Why did the zeppelin crash, please?") + "&project=p");
  ASSERT_EQ(answer.status, 200);
  ASSERT_EQ(answer.body.size(), 1u);
  EXPECT_EQ(answer.body[0]["id"], 1);
  EXPECT_LT(answer.body[0]["rank"].get<double>(), 0);
  for (const char* field : {"type", "title", "content", "topic_key", "created_at", "tags", "scope",
                            "project", "method"}) {
    EXPECT_TRUE(answer.body[0].contains(field)) << field;
  }
  EXPECT_EQ(Get("/search").status, 400);
  EXPECT_EQ(Get("/search?q=%20").status, 400);
  EXPECT_EQ(Get("/search?q=paper%20NOT%20wood&syntax=fts5").body.size(), 1u);
  EXPECT_EQ(Get("/search?q=paper%20NOT&syntax=fts5").status, 400);
  EXPECT_EQ(Get("/search?q=paper&syntax=sql").status, 400);
  EXPECT_EQ(Get("/search?q=paper&unknown=1").status, 200);
}

TEST_F(ApiTest, SearchHitsNameTheirSourceAndTrust) {
  Json body = NoteBody("zeppelin");
  body["source"] = {
      {"tool", "bash"}, {"tool_call_id", "t1"}, {"rule", "errors"}, {"origin", "rule"}};
  MustPost(body);
  MustPost(NoteBody("another zeppelin"));
  const Json wanted = {{"tool", "bash"}, {"rule", "errors"}, {"origin", "rule"}};
  Json found = Get("/search?q=zeppelin").body;
  Json recalled = Get("/context?query=zeppelin").body["recent_observations"];
  for (const Json& list : {found, recalled}) {
    ASSERT_EQ(list.size(), 2u);
    for (const Json& item : list) {
      bool captured = item["id"] == 1;
      EXPECT_EQ(item["source"], captured ? wanted : Json({{"origin", "user"}}));
      EXPECT_EQ(item["trust"], captured ? "rule" : "user");
      EXPECT_EQ(item["revision_count"], 1);
    }
  }
}

TEST_F(ApiTest, TimelineNeedsAnExistingObservation) {
  for (int i = 0; i < 9; ++i) MustPost(NoteBody("row " + std::to_string(i)));
  Answered answer = Get("/timeline?observation_id=5");
  ASSERT_EQ(answer.body.size(), 7u);
  EXPECT_EQ(answer.body[0]["id"], 2);
  EXPECT_EQ(Get("/timeline?observation_id=5&before=0&after=1").body.size(), 2u);
  EXPECT_EQ(Get("/timeline").status, 400);
  EXPECT_EQ(Get("/timeline?observation_id=x").status, 400);
  EXPECT_EQ(Get("/timeline?observation_id=77").status, 404);
}

TEST_F(ApiTest, StatsCountLiveRows) {
  EXPECT_EQ(Get("/stats").body,
            (Json{{"total_sessions", 0}, {"total_observations", 0}, {"projects", Json::array()}}));
  MustPost(NoteBody("a", "alpha"));
  MustPost(NoteBody("b", "beta"));
  Send(*client_, "DELETE", "/observations/2", "");
  EXPECT_EQ(
      Get("/stats").body,
      (Json{{"total_sessions", 2}, {"total_observations", 1}, {"projects", {"alpha", "beta"}}}));
  EXPECT_EQ(Get("/stats?project=ALPHA").body,
            (Json{{"total_sessions", 1}, {"total_observations", 1}, {"projects", {"alpha"}}}));
}

TEST_F(ApiTest, ContextHasSessionsAndTruncatedObservations) {
  Post("/sessions", {{"id", "old"}, {"project", "p"}});
  for (int i = 0; i < 4; ++i) {
    clock_.Advance(1000);
    std::string id = i == 3 ? "old" : "s" + std::to_string(i);
    Post("/sessions", {{"id", id}, {"project", "p"}});
    Post("/sessions/" + id + "/end", {{"messages", {{{"role", "user"}, {"content", id}}}}});
  }
  std::string content;
  for (int i = 0; i < 400; ++i) content += "é";
  MustPost(NoteBody("zeppelin " + content));
  for (int i = 0; i < 9; ++i) MustPost(NoteBody("filler " + std::to_string(i)));
  Answered answer = Get("/context?project=p&query=zeppelin");
  ASSERT_EQ(answer.status, 200);
  ASSERT_EQ(answer.body["recent_sessions"].size(), 3u);
  EXPECT_EQ(answer.body["recent_sessions"][0]["summary"],
            "Session with 1 messages. Started: \"old\"");
  ASSERT_EQ(answer.body["recent_observations"].size(), 5u);
  const Json& first = answer.body["recent_observations"][0];
  EXPECT_EQ(base::CountCharacters(first["content"].get<std::string>()), 300u);
  EXPECT_EQ(first["method"], "fts5_bm25");
  EXPECT_EQ(first["trust"], "user");
  for (const char* field : {"id", "rank", "scope", "created_at", "type", "title"})
    EXPECT_TRUE(first.contains(field)) << field;
  EXPECT_EQ(answer.body["recent_observations"][4]["method"], "recency");
  Answered none = Get("/context?project=p&limit=0&sessions=0");
  EXPECT_EQ(none.body,
            (Json{{"recent_sessions", Json::array()}, {"recent_observations", Json::array()}}));
  EXPECT_EQ(Get("/context?project=p").body["recent_observations"][0]["method"], "recency");
  EXPECT_EQ(Get("/context?project=unknown").body, none.body);
}

}  // namespace
}  // namespace memory
