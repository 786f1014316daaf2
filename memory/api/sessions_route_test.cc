// Routes of sessions, through the port.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, HealthReturnsOk) {
  Answered answer = Get("/health");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, (Json{{"status", "ok"}}));
}

TEST_F(ApiTest, NewSessionIs201WithFourFields) {
  Answered answer = Post("/sessions", {{"id", "s"}, {"project", "My-Agent"}});
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, (Json{{"id", "s"},
                               {"project", "My-Agent"},
                               {"started_at", "2026-04-12T00:00:00Z"},
                               {"message_count", 0}}));
  clock_.Advance(5000);
  EXPECT_EQ(Post("/sessions", {{"id", "s"}, {"project", "my-agent"}}).body, answer.body);
  EXPECT_EQ(Post("/sessions", {{"id", "s"}, {"project", "other"}}).status, 409);
}

TEST_F(ApiTest, SessionNeedsIdAndProject) {
  for (const Json& body :
       {Json{{"id", "s"}}, Json{{"project", "p"}}, Json{{"id", " "}, {"project", "p"}},
        Json{{"id", 1}, {"project", "p"}}, Json::array(), Json()}) {
    EXPECT_EQ(Post("/sessions", body).status, 400) << body;
  }
}

TEST_F(ApiTest, SessionEndReturnsItsSummary) {
  Post("/sessions", {{"id", "s"}, {"project", "p"}});
  Json messages = {{{"role", "user"}, {"content", "Fix the deployment timeout"}},
                   {{"role", "assistant"}, {"content", "I found the issue..."}},
                   {{"role", "tool"}, {"content", "ok"}}};
  Answered answer = Post("/sessions/s/end", {{"messages", messages}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["session_id"], "s");
  EXPECT_EQ(answer.body["summary"],
            "Session with 2 messages. Started: \"Fix the deployment timeout\"");
  EXPECT_EQ(answer.body["message_count"], 2);
  EXPECT_EQ(answer.body["tool_results"], 1);
  Answered again = Post("/sessions/s/end", {{"messages", Json::array()}});
  EXPECT_EQ(again.body["summary"], answer.body["summary"]);
  Answered recent = Get("/sessions/recent?project=P");
  ASSERT_EQ(recent.body.size(), 1u);
  EXPECT_EQ(recent.body[0]["ended_at"], "2026-04-12T00:00:00Z");
  EXPECT_EQ(recent.body[0]["message_count"], 2);
}

TEST_F(ApiTest, OmittedMessagesAreCounted) {
  Post("/sessions", {{"id", "s"}, {"project", "p"}});
  const Json said = Json::array({{{"role", "user"}, {"content", "Fix it"}}});
  const Answered answer = Post("/sessions/s/end", {{"messages", said}, {"omitted", 28'000}});
  EXPECT_EQ(answer.body["summary"], "Session with 28001 messages. Started: \"Fix it\"");
  EXPECT_EQ(answer.body["message_count"], 28'001);
  for (const Json& odd : {Json(-1), Json("7"), Json(1.5), Json(2'000'000'000)}) {
    EXPECT_EQ(Post("/sessions/s/end", {{"messages", said}, {"omitted", odd}}).status, 400) << odd;
  }
}

TEST_F(ApiTest, InvalidSessionEndIsRefused) {
  EXPECT_EQ(Post("/sessions/unknown/end", {{"messages", Json::array()}}).status, 404);
  Post("/sessions", {{"id", "s"}, {"project", "p"}});
  EXPECT_EQ(Post("/sessions/s/end", Json::object()).status, 200);
  EXPECT_EQ(PostText("/sessions/s/end", "").status, 400);
  EXPECT_EQ(PostText("/sessions/s/end", "{\"messages\": [}").status, 400);
  EXPECT_EQ(PostText("/sessions/s/end", "{\"messages\": []} x").status, 400);
  EXPECT_EQ(PostText("/sessions/s/end", "[]").status, 400);
  EXPECT_EQ(Post("/sessions/s/end", {{"messages", "x"}}).status, 400);
  EXPECT_EQ(Post("/sessions/s/end", {{"messages", {{{"role", "user"}}}}}).status, 400);
}

TEST_F(ApiTest, TranscriptAboveAMebibyteIsStreamed) {
  Post("/sessions", {{"id", "s"}, {"project", "p"}});
  std::string body = "{\"messages\":[";
  for (int i = 0; i < 3000; ++i) {
    body += (i ? "," : "") +
            base::DumpJson(
                {{"role", "user"}, {"content", "m" + std::to_string(i) + std::string(1000, 'x')}});
  }
  Answered answer = PostText("/sessions/s/end", body + "]}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["message_count"], 3000);
  EXPECT_NE(answer.body["summary"].get<std::string>().find("Ended: \"m2999"), std::string::npos);
}

// A daemon that stops writes an interim summary, and its session goes on.
TEST_F(ApiTest, InterimSummaryLeavesTheSessionOpen) {
  Post("/sessions", {{"id", "s"}, {"project", "p"}});
  auto said = [](const char* text) { return Json{{"role", "user"}, {"content", text}}; };
  Answered interim = Post("/sessions/s/end?interim=true", {{"messages", {said("first")}}});
  EXPECT_EQ(interim.body["summary"], "Session with 1 messages. Started: \"first\"");
  EXPECT_FALSE(Get("/sessions/recent").body[0].contains("ended_at"));
  EXPECT_EQ(Get("/context?project=p").body["recent_sessions"].size(), 1u);
  Start();
  Answered ended = Post("/sessions/s/end", {{"messages", {said("first"), said("last")}}});
  EXPECT_EQ(ended.body["message_count"], 2);
  EXPECT_TRUE(Get("/sessions/recent").body[0].contains("ended_at"));
  Answered late = Post("/sessions/s/end?interim=true", {{"messages", Json::array()}});
  EXPECT_EQ(late.body["summary"], ended.body["summary"]);
  EXPECT_EQ(late.body["message_count"], 2);
  EXPECT_EQ(Post("/sessions/s/end?interim=perhaps", {{"messages", Json::array()}}).status, 400);
}

TEST_F(ApiTest, RecentSessionsReturnFiveByDefault) {
  for (int i = 0; i < 7; ++i) {
    clock_.Advance(1000);
    Post("/sessions", {{"id", "s" + std::to_string(i)}, {"project", i % 2 ? "a" : "b"}});
  }
  Answered all = Get("/sessions/recent");
  ASSERT_EQ(all.body.size(), 5u);
  EXPECT_EQ(all.body[0]["id"], "s6");
  EXPECT_EQ(Get("/sessions/recent?project=a").body.size(), 3u);
  EXPECT_EQ(Get("/sessions/recent?limit=2").body.size(), 2u);
  EXPECT_EQ(Get("/sessions/recent?project=unknown").body, Json::array());
}

}  // namespace
}  // namespace memory
