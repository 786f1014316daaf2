// Routes of observations, through the port: fields, defaults, limits, statuses.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, PostReturnsIdActionAndCounts) {
  Answered answer = Post("/observations", NoteBody("text"));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(
      answer.body,
      (Json{{"id", 1}, {"action", "created"}, {"revision_count", 1}, {"duplicate_count", 0}}));
  Answered duplicate = Post("/observations", NoteBody("TEXT"));
  EXPECT_EQ(duplicate.status, 201);
  EXPECT_EQ(
      duplicate.body,
      (Json{{"id", 1}, {"action", "deduplicated"}, {"revision_count", 1}, {"duplicate_count", 1}}));
  Json topic = NoteBody("text");
  topic["topic_key"] = "k";
  EXPECT_EQ(Post("/observations", topic).body["action"], "created");
  EXPECT_EQ(
      Post("/observations", topic).body,
      (Json{{"id", 2}, {"action", "updated"}, {"revision_count", 2}, {"duplicate_count", 0}}));
}

TEST_F(ApiTest, InvalidPostNamesFieldAndLimit) {
  Json body = NoteBody("text");
  body["title"] = std::string(501, 'x');
  Answered answer = Post("/observations", body);
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body,
            (Json{{"error", "title has 501 characters, the limit is 500"}, {"code", "invalid"}}));
  for (std::string text :
       {"", "null", "{", "{\"a\":1,\"a\":2}", "{} {}", "\xff", "{\"a\":\"\\ud800\"}", "[1]"}) {
    EXPECT_EQ(PostText("/observations", text).status, 400) << text;
  }
  EXPECT_EQ(PostText("/observations", std::string((1 << 20) + 1, ' ')).status, 413);
  Json session = NoteBody("text", "q");
  MustPost(NoteBody("text"));
  session["session_id"] = "s-p";
  EXPECT_EQ(Post("/observations", session).status, 409);
}

TEST_F(ApiTest, RepeatedKeyStoresOneRow) {
  Answered first = Post("/observations", NoteBody("text"), "k1");
  Answered again = Post("/observations", NoteBody("text"), "k1");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.headers.Get("Idempotency-Replayed"), "true");
  EXPECT_EQ(Get("/observations/1").body["duplicate_count"], 0);
  EXPECT_EQ(Post("/observations", NoteBody("text"), std::string(201, 'k')).status, 400);
}

TEST_F(ApiTest, ObservationIsReturnedWithAllFields) {
  Json body = NoteBody(" text\twith\x01 everything ");
  body["tags"] = {"a", "b"};
  body["topic_key"] = "k";
  body["source"] = {{"tool", "bash"}, {"origin", "tool-output"}};
  Json row = Get("/observations/" + std::to_string(MustPost(body))).body;
  EXPECT_EQ(row["content"], body["content"]);
  EXPECT_EQ(row["tags"], body["tags"]);
  EXPECT_EQ(row["source"], body["source"]);
  EXPECT_EQ(row["created_at"], "2026-04-12T00:00:00Z");
  for (const char* field : {"id", "session_id", "type", "title", "content", "tags", "project",
                            "scope", "topic_key", "normalized_hash", "revision_count",
                            "duplicate_count", "last_seen_at", "created_at", "updated_at"}) {
    EXPECT_TRUE(row.contains(field)) << field;
  }
  EXPECT_EQ(Get("/observations/99").status, 404);
  EXPECT_EQ(Get("/observations/99").body["code"], "not_found");
  EXPECT_EQ(Get("/observations/x").status, 400);
  EXPECT_EQ(Get("/observations/9007199254740993").status, 404);
}

TEST_F(ApiTest, PatchChangesOnlyGivenFields) {
  MustPost(NoteBody("old text"));
  Answered answer =
      Send(*client_, "PATCH", "/observations/1", R"({"type": "lesson", "tags": ["new"]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["type"], "lesson");
  EXPECT_EQ(answer.body["content"], "old text");
  EXPECT_EQ(answer.body["revision_count"], 2);
  EXPECT_EQ(Get("/observations/1/revisions").body.size(), 2u);
  for (std::string bad : {R"({"title": ""})", R"({"content": 5})", R"({"tags": "x"})", "", "[]"}) {
    EXPECT_EQ(Send(*client_, "PATCH", "/observations/1", bad).status, 400) << bad;
  }
  EXPECT_EQ(Send(*client_, "PATCH", "/observations/1", "{}").status, 200);
  EXPECT_EQ(Send(*client_, "PATCH", "/observations/7", "{}").status, 404);
}

TEST_F(ApiTest, SoftAndHardDeletesAreIdempotent204) {
  MustPost(NoteBody("text"));
  for (std::string target : {"/observations/1", "/observations/1", "/observations/1?hard=true",
                             "/observations/1?hard=true"}) {
    Answered answer = Send(*client_, "DELETE", target, "");
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.body, "");
  }
  EXPECT_EQ(Get("/observations/1").status, 404);
  EXPECT_EQ(Send(*client_, "DELETE", "/observations/2", "").status, 404);
  EXPECT_EQ(Send(*client_, "DELETE", "/observations/1?hard=maybe", "").status, 400);
}

TEST_F(ApiTest, HiddenRowsAreListedAndRestored) {
  Json body = NoteBody("the walrus prefers tabs");
  body["topic_key"] = "walrus";
  const int64_t id = MustPost(body);
  const std::string path = "/observations/" + std::to_string(id);
  const int64_t second = MustPost(NoteBody("another text", "other"));
  EXPECT_EQ(Get("/observations/hidden").body, Json::array());
  Send(*client_, "DELETE", path, "");
  clock_.Advance(1000);
  Send(*client_, "DELETE", "/observations/" + std::to_string(second), "");
  const Json hidden = Get("/observations/hidden").body;
  ASSERT_EQ(hidden.size(), 2u) << hidden;
  EXPECT_EQ(hidden[0]["id"], second) << "the one hidden last first";
  EXPECT_EQ(hidden[1]["content"], "the walrus prefers tabs");
  EXPECT_EQ(hidden[1]["hidden_at"], "2026-04-12T00:00:00Z");
  const Answered one = Get("/observations/hidden?limit=1");
  EXPECT_EQ(one.body.size(), 1u);
  EXPECT_EQ(one.headers.Get("X-Partial"), "true");
  for (const auto& [query, rows] : {std::pair("project=OTHER", 1u),
                                    {"project=none", 0u},
                                    {"type=none", 0u},
                                    {"scope=global", 0u}})
    EXPECT_EQ(Get("/observations/hidden?" + std::string(query)).body.size(), rows) << query;

  const Answered back = Send(*client_, "POST", path + "/restore", "");
  EXPECT_EQ(back.status, 200) << back.body;
  EXPECT_EQ(back.body["title"], "note");
  EXPECT_EQ(Get(path).body["content"], "the walrus prefers tabs");
  EXPECT_EQ(Get("/search?q=walrus").body.size(), 1u) << "the index has it again";
  EXPECT_EQ(Send(*client_, "POST", path + "/restore", "").status, 200) << "twice is once";
  EXPECT_EQ(Get("/observations/hidden").body.size(), 1u);
}

TEST_F(ApiTest, RestoreConflictNamesItsCause) {
  Json body = NoteBody("first text");
  body["topic_key"] = "k";
  const std::string path = "/observations/" + std::to_string(MustPost(body));
  Send(*client_, "DELETE", path, "");
  body["content"] = "second text";
  MustPost(body);
  const Answered taken = Send(*client_, "POST", path + "/restore", "");
  EXPECT_EQ(taken.status, 409);
  EXPECT_NE(std::string(taken.body["error"]).find("topic_key"), std::string::npos) << taken.body;
  EXPECT_EQ(Get(path).status, 404);
  Send(*client_, "DELETE", path + "?hard=true", "");
  EXPECT_EQ(Send(*client_, "POST", path + "/restore", "").status, 404) << "erased";
  EXPECT_EQ(Send(*client_, "POST", "/observations/99/restore", "").status, 404);
  EXPECT_EQ(Send(*client_, "POST", "/observations/x/restore", "").status, 400);
}

TEST_F(ApiTest, IfMatchPatchesOnlyThatRevision) {
  MustPost(NoteBody("first text"));
  const auto change = [&](const std::string& match, const std::string& content) {
    http::ClientRequest request;
    request.method = "PATCH";
    request.target = "/observations/1";
    request.headers.Set("If-Match", match);
    request.headers.Set("Content-Type", "application/json");
    request.body = base::DumpJson(Json{{"content", content}});
    return client_->Send(request)->status;
  };
  EXPECT_EQ(change("\"1\"", "second text"), 200);
  EXPECT_EQ(change("\"1\"", "lost text"), 412);
  EXPECT_EQ(change("two", "lost text"), 400);
  EXPECT_EQ(Get("/observations/1").body["content"], "second text");
  EXPECT_EQ(change("*", "third text"), 200);
}

TEST_F(ApiTest, RecentReturnsTwentyByDefault) {
  for (int i = 0; i < 25; ++i) MustPost(NoteBody("text " + std::to_string(i), i < 3 ? "a" : "b"));
  EXPECT_EQ(Get("/observations/recent").body.size(), 20u);
  EXPECT_EQ(Get("/observations/recent").body[0]["id"], 25);
  EXPECT_EQ(Get("/observations/recent?project=A").body.size(), 3u);
  EXPECT_EQ(Get("/observations/recent?limit=1001").body.size(), 25u);
  EXPECT_EQ(Get("/observations/recent?type=none").body, Json::array());
  EXPECT_EQ(Get("/observations/recent?scope=global").body, Json::array());
  EXPECT_EQ(Get("/observations/recent?limit=-1").status, 400);
  EXPECT_EQ(Get("/observations/recent?limit=ten").status, 400);
}

TEST_F(ApiTest, HardDeleteReportsRemainingQuotes) {
  const std::string said = "The vault opens with zyxwv42 on Tuesdays only.";
  const int64_t id = MustPost(NoteBody(said));
  const int64_t other = MustPost(NoteBody("Ann said: the vault opens with zyxwv42 on Tuesdays."));
  const int64_t changed = MustPost(NoteBody("It said: the vault opens with zyxwv42 on Tuesdays."));
  Patch("/observations/" + std::to_string(changed), {{"content", "It says nothing."}});
  Send(*client_, "PUT", "/items/vault",
       R"({"value": {"how": "The vault opens with zyxwv42 on Tuesdays only."}})");
  Post("/conversations/c1/messages",
       {{"messages", {{{"role", "user"}, {"content", "Remember: " + said}}}}});
  MustPost(NoteBody("The key of the vault is in the drawer."));
  const Answered gone = Delete("/observations/" + std::to_string(id) + "?hard=true&report=true");
  ASSERT_EQ(gone.status, 200) << gone.body;
  EXPECT_EQ(gone.body["texts"], Json({said}));
  std::string left;
  for (const Json& one : gone.body["left"]) {
    left += one["place"].get<std::string>() + " " + one["name"].get<std::string>() + ", ";
    EXPECT_NE(one["how"], "") << one;
  }
  EXPECT_EQ(left.substr(0, left.find("message")), "observation " + std::to_string(other) +
                                                      ", revision " + std::to_string(changed) +
                                                      ", item vault, ");
  EXPECT_NE(left.find("message "), std::string::npos) << left;
  EXPECT_EQ(Get("/observations/" + std::to_string(id)).status, 404);
  const std::string again = "/observations/" + std::to_string(other);
  EXPECT_EQ(Delete(again + "?report=true").status, 204) << "a soft delete leaves all of it";
  EXPECT_EQ(Delete(again + "?hard=true&report=perhaps").status, 400);
  EXPECT_EQ(Delete(again + "?hard=true").status, 204);
}

}  // namespace
}  // namespace memory
