// Episodic memory as a client of AEGIS meets it.
#include "memory/api/api_fixture.h"
#include "memory/made_formats_fixture.h"

namespace memory {
namespace {

class EpisodesRouteTest : public ApiTest {
 protected:
  static Json EpisodeBody(const std::string& conversation, const std::string& summary,
                          const Json& more = Json::object()) {
    Json body = {{"conversation_id", conversation}, {"agent_id", "driller"}, {"summary", summary}};
    body.update(more);
    return body;
  }
  Answered Store(const std::string& conversation, const std::string& summary,
                 const Json& more = Json::object(), const std::string& key = "") {
    return Post("/episodic/store", EpisodeBody(conversation, summary, more), key);
  }
  Json Found(const Json& question) {
    Json body = {{"agent_id", "driller"}};
    body.update(question);
    const Answered answer = Post("/episodic/search", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body["results"];
  }
};

TEST_F(EpisodesRouteTest, EpisodeIsReturnedWithAllFields) {
  const Json more = {{"user_id", "ann"},
                     {"key_decisions", {"permit first", {{"what", "drill"}, {"when", "May"}}}},
                     {"entities", {{{"type", "Well"}, {"id", "42-123-45678"}, {"name", "Smith"}}}},
                     {"tools_used", {"permits", "maps"}},
                     {"metadata", {{"rule", 37}}},
                     {"created_at", "2026-01-02T03:04:05Z"}};
  const Answered stored = Store("c/1", "Rule 37 was analysed for the well.", more);
  ASSERT_EQ(stored.status, 201) << stored.body;
  EXPECT_TRUE(stored.body["id"].is_number_integer());
  EXPECT_EQ(stored.body["created_at"], "2026-01-02T03:04:05Z");
  Json wanted = EpisodeBody("c/1", "Rule 37 was analysed for the well.", more);
  wanted["id"] = stored.body["id"];
  const Answered listed = Get("/episodic/c%2F1");
  EXPECT_EQ(listed.body, Json({{"conversation_id", "c/1"}, {"memories", {wanted}}}));
  EXPECT_EQ(Get("/episodic/unheard").body["memories"], Json::array());
  const Answered bare = Store("c2", "Nothing but a summary.");
  EXPECT_EQ(bare.body["created_at"], "2026-04-12T00:00:00Z");
  const Json memory = Get("/episodic/c2").body["memories"][0];
  EXPECT_EQ(memory["user_id"], Json());
  EXPECT_EQ(memory["key_decisions"], Json::array());
  EXPECT_EQ(memory["metadata"], Json::object());
}

TEST_F(EpisodesRouteTest, EqualSummaryOfAConversationIsStoredOnce) {
  const Json first = Store("c", "once").body;
  const Answered again = Store("c", "once", {{"tools_used", {"other"}}});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, first);
  const Answered other = Store("d", "once");
  EXPECT_EQ(other.status, 201) << "another conversation";
  EXPECT_NE(other.body["id"], first["id"]);
  const Json keyed = Store("e", "by key", Json::object(), "k").body;
  const Answered repeated = Store("e", "by key", Json::object(), "k");
  EXPECT_EQ(repeated.status, 200);
  EXPECT_EQ(repeated.body["id"], keyed["id"]);
  EXPECT_EQ(Store("e", "another", Json::object(), "k").status, 422);
  EXPECT_EQ(Post("/observations", NoteBody("by another route"), "k").status, 201)
      << "the keys of observations are others";
}

TEST_F(EpisodesRouteTest, SearchFiltersByAgentAndUserBestFirst) {
  Store("c1", "The pump of the north well failed and was replaced.", {{"user_id", "ann"}});
  Store("c2", "The pump was ordered.", {{"user_id", "bob"}});
  Store("c3", "Lunch was discussed.");
  Store("c4", "The pump failed at another agent.", {{"agent_id", "other"}});
  const Json results = Found({{"query", "why did the pump of the north well fail?"}});
  ASSERT_EQ(results.size(), 3u) << results;
  EXPECT_EQ(results[0]["conversation_id"], "c1");
  EXPECT_EQ(results[1]["conversation_id"], "c2");
  EXPECT_EQ(results[2]["conversation_id"], "c3") << "the k nearest, whatever the query is";
  EXPECT_EQ(results[0]["method"], "lexical");
  const double best = results[0]["similarity"], next = results[1]["similarity"];
  EXPECT_LE(best, 1);
  EXPECT_GT(best, next);
  EXPECT_GT(next, 0);
  EXPECT_EQ(Found({{"query", "pump"}, {"user_id", "bob"}})[0]["conversation_id"], "c2");
  EXPECT_EQ(Found({{"query", "pump"}, {"top_k", 1}}).size(), 1u);
  EXPECT_EQ(Found({{"query", "pump north well"}, {"min_similarity", best}}).size(), 1u);
  EXPECT_EQ(Found({{"query", "pump"}, {"agent_id", "nobody"}}), Json::array());
  EXPECT_EQ(Found({{"query", "pump"}, {"project", "p"}}), Json::array());
}

TEST_F(EpisodesRouteTest, EqualSummaryIsFoundInEachConversation) {
  Store("c1", "the pump failed", {{"user_id", "ann"}});
  Store("c2", "the pump failed", {{"user_id", "bob"}});
  EXPECT_EQ(Found({{"query", "pump"}}).size(), 2u);
  EXPECT_EQ(Found({{"query", "pump"}, {"user_id", "bob"}})[0]["conversation_id"], "c2");
}

TEST_F(EpisodesRouteTest, EpisodeIsAnObservationOnEveryOtherPath) {
  Store("c1", "The pump of the north well failed.", {{"entities", {"Smith #1"}}});
  const Json rows = Get("/search?q=smith&project=default").body;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["type"], "episode");
  EXPECT_EQ(Get("/context?project=default&query=pump").body["recent_observations"].size(), 1u);
  const std::string row = "/observations/" + rows[0]["id"].dump();
  EXPECT_EQ(Get(row).body["session_id"], "c1");
  EXPECT_EQ(Patch(row, {{"content", "The pump was repaired."}}).status, 200);
  EXPECT_EQ(Get("/episodic/c1").body["memories"][0]["summary"], "The pump was repaired.");
  EXPECT_EQ(Delete(row).status, 204);
  EXPECT_EQ(Get("/episodic/c1").body["memories"], Json::array()) << "one memory";
  EXPECT_EQ(Found({{"query", "pump"}}), Json::array());
}

TEST_F(EpisodesRouteTest, ConversationIsPerProject) {
  EXPECT_EQ(Store("c", "in one project", {{"project", "p"}}).status, 201);
  EXPECT_EQ(Store("c", "in another project", {{"project", "q"}}).status, 201);
  EXPECT_EQ(Get("/episodic/c?project=p").body["memories"].size(), 1u);
  EXPECT_EQ(Get("/episodic/c?project=q").body["memories"][0]["summary"], "in another project");
}

TEST_F(EpisodesRouteTest, ErrorNamesTheInvalidField) {
  const std::vector<std::pair<Json, std::string>> bodies = {
      {{{"conversation_id", 1}}, "conversation_id"},
      {{{"conversation_id", " "}}, "conversation_id"},
      {{{"conversation_id", std::string(201, 'c')}}, "201"},
      {{{"agent_id", nullptr}}, "agent_id"},
      {{{"summary", std::string(50'001, 's')}}, "50001"},
      {{{"summary", ""}}, "summary"},
      {{{"user_id", 7}}, "user_id"},
      {{{"key_decisions", "one"}}, "key_decisions"},
      {{{"key_decisions", {1}}}, "key_decisions"},
      {{{"entities", {{{"a", 1}}, 2}}}, "entities"},
      {{{"tools_used", {{{"a", 1}}}}}, "tools_used"},
      {{{"metadata", {1}}}, "metadata"},
      {{{"created_at", "yesterday"}}, "created_at"}};
  for (const auto& [wrong, named] : bodies) {
    const Answered refused = Store("c", "s", wrong);
    EXPECT_EQ(refused.status, 400) << wrong.dump().substr(0, 80);
    EXPECT_NE(refused.body["error"].get<std::string>().find(named), std::string::npos)
        << refused.body;
  }
  EXPECT_EQ(Store("c", "s", {{"metadata", {{"m", std::string(64 << 10, 'm')}}}}).status, 413);
  EXPECT_EQ(Store("c", std::string(50'000, 's')).status, 201);
  for (const Json& wrong :
       {Json{{"top_k", 0}}, Json{{"top_k", 101}}, Json{{"min_similarity", 2}},
        Json{{"min_similarity", "x"}}, Json{{"query", nullptr}}, Json{{"agent_id", 5}}}) {
    Json body = {{"query", "q"}, {"agent_id", "a"}};
    body.update(wrong);
    EXPECT_EQ(Post("/episodic/search", body).status, 400) << wrong;
  }
  EXPECT_EQ(Get("/episodic/" + std::string(201, 'c')).status, 400);
  EXPECT_EQ(Get("/episodic/%00").status, 400);
}

TEST_F(EpisodesRouteTest, ExportAndImportKeepItemsAndEpisodes) {
  Send(*client_, "PUT", "/items/k", R"({"value":{"a":[1,null]},"ttl":0})", "");
  Store("c1", "the pump failed", {{"user_id", "ann"}, {"metadata", {{"x", 1}}}});
  Store("c2", "the pump failed");
  const Json episodes = Get("/episodic/c1").body, item = Get("/items/k").body;
  for (const std::string& format : Made({"json", "jsonl", "sqlite"})) {
    http::ClientRequest raw;
    raw.target = "/export?format=" + format;
    const auto exported = client_->Send(raw);
    ASSERT_TRUE(exported);
    StartEmpty();
    const Answered imported = PostText("/import", exported->body);
    EXPECT_EQ(imported.status, 200) << format << " " << imported.body;
    EXPECT_EQ(imported.body["imported_items"], 1) << imported.body;
    EXPECT_EQ(imported.body["imported_episodes"], 2) << imported.body;
    EXPECT_EQ(imported.body["errors"], Json::array());
    EXPECT_EQ(Get("/episodic/c1").body, episodes) << format;
    EXPECT_EQ(Get("/episodic/c2").body["memories"].size(), 1u);
    Json kept = Get("/items/k").body;
    kept["accessed"] = item["accessed"];
    EXPECT_EQ(kept, item) << format;
    EXPECT_EQ(PostText("/import", exported->body).body["imported_episodes"], 0);
  }
}

}  // namespace
}  // namespace memory
