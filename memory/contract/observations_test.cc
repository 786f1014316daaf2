// The contract's observations, sentence by sentence: fields, filters, changes, deletes. What is not
// here is in observations_route_test.cc; the three tiers of a write are contract_dedup_test.cc.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class ContractObservations : public ApiTest {
 protected:
  int64_t Make(const std::string& content, const std::string& type, const std::string& scope,
               const std::string& project) {
    Json body = NoteBody(content, project);
    body["type"] = type;
    body["scope"] = scope;
    clock_.Advance(1000);
    return MustPost(body);
  }
};

TEST_F(ContractObservations, AnObservationReadsExactlyAsThePageShowsIt) {
  clock_.Advance(10 * 60 * kMinute + 5 * kMinute);
  Json body = {{"session_id", "session-uuid"},
               {"type", "decision"},
               {"title", "Use SQLite for memory storage"},
               {"content", "Chose SQLite with FTS5 over PostgreSQL because..."},
               {"tags", {"architecture", "database"}},
               {"project", "my-agent"},
               {"scope", "project"},
               {"topic_key", "memory-storage-choice"}};
  MustPost(body);
  Json row = Get("/observations/1").body;
  row.erase("source");  // ours, added
  Json wanted = body;
  wanted["id"] = 1;
  wanted["normalized_hash"] = api::NormalizedHash(body["content"].get<std::string>());
  wanted["revision_count"] = 1;
  wanted["duplicate_count"] = 0;
  for (const char* time : {"last_seen_at", "created_at", "updated_at"})
    wanted[time] = "2026-04-12T10:05:00Z";
  EXPECT_EQ(row, wanted);
  EXPECT_EQ(Get("/observations/recent").body.at(0)["normalized_hash"], wanted["normalized_hash"]);
}

TEST_F(ContractObservations, RecentFiltersByProjectTypeAndScopeNewestFirst) {
  Make("a", "decision", "project", "one");
  Make("b", "bugfix", "project", "one");
  Make("c", "decision", "global", "one");
  Make("d", "decision", "project", "two");
  auto recent = [&](const std::string& query) {
    return IdsOf(Get("/observations/recent?" + query).body);
  };
  EXPECT_EQ(recent(""), (std::vector<int64_t>{4, 3, 2, 1}));
  EXPECT_EQ(recent("project=one"), (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(recent("type=decision"), (std::vector<int64_t>{4, 3, 1}));
  EXPECT_EQ(recent("scope=global"), (std::vector<int64_t>{3}));
  EXPECT_EQ(recent("project=one&type=decision&scope=project"), (std::vector<int64_t>{1}));
  EXPECT_EQ(recent("project=two&scope=global"), (std::vector<int64_t>{}));
  EXPECT_EQ(recent("limit=2"), (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(recent("limit=0"), (std::vector<int64_t>{}));
}

TEST_F(ContractObservations, APatchOfOneFieldLeavesTheOthersAndAnswersTheWholeObservation) {
  Json body = NoteBody("old");
  body["tags"] = {"old-tag"};
  body["topic_key"] = "k";
  MustPost(body);
  const std::pair<const char*, Json> changes[] = {{"type", "lesson"},
                                                  {"title", "Updated title"},
                                                  {"content", "Updated content..."},
                                                  {"tags", {"new-tag"}}};
  Json row = Get("/observations/1").body;
  int64_t revision = 1;
  for (const auto& [field, value] : changes) {
    clock_.Advance(1000);
    Answered answer = Patch("/observations/1", {{field, value}, {"title_", nullptr}});
    EXPECT_EQ(answer.status, 200);
    row[field] = value;
    row["revision_count"] = ++revision;
    for (const char* moved : {"updated_at", "last_seen_at", "normalized_hash"})
      row[moved] = answer.body[moved];
    EXPECT_EQ(answer.body, row) << field;
    EXPECT_EQ(Get("/observations/1").body, row) << field;
  }
  EXPECT_EQ(row["updated_at"], "2026-04-12T00:00:04Z");
  EXPECT_EQ(row["created_at"], "2026-04-12T00:00:00Z");
  EXPECT_EQ(row["normalized_hash"], api::NormalizedHash("Updated content..."));
}

TEST_F(ContractObservations, APatchOfNothingOrWithNullsChangesNothing) {
  MustPost(NoteBody("text"));
  Json before = Get("/observations/1").body;
  clock_.Advance(1000);
  for (const Json& body :
       {Json::object(), Json{{"title", nullptr}, {"tags", nullptr}}, Json{{"content", "text"}}}) {
    EXPECT_EQ(Patch("/observations/1", body).body, before) << body;
  }
}

TEST_F(ContractObservations, ADeletedObservationIsInNoListSearchCountOrExport) {
  for (bool hard : {false, true}) {
    int64_t id = MustPost(NoteBody(std::string("zeppelin ") + (hard ? "hard" : "soft")));
    std::string path = "/observations/" + std::to_string(id);
    Answered gone = Delete(path + (hard ? "?hard=true" : "?hard=false"));
    EXPECT_EQ(gone.status, 204);
    EXPECT_EQ(gone.body, "");
    EXPECT_EQ(Get(path).status, 404);
    EXPECT_EQ(Get(path + "/revisions").status, 404);
    EXPECT_EQ(Patch(path, {{"title", "x"}}).status, 404);
    EXPECT_EQ(Get("/timeline?observation_id=" + std::to_string(id)).status, 404);
    EXPECT_EQ(Get("/observations/recent").body, Json::array());
    EXPECT_EQ(Get("/search?q=zeppelin").body, Json::array());
    EXPECT_EQ(Get("/context?query=zeppelin").body["recent_observations"], Json::array());
    EXPECT_EQ(Get("/stats").body["total_observations"], 0);
    EXPECT_EQ(Get("/export").body["observations"], Json::array());
  }
  EXPECT_EQ(MustPost(NoteBody("zeppelin soft")), 3);  // a deleted duplicate does not swallow it
}

TEST_F(ContractObservations, AnUnknownIdIs404OnEveryMethodAndAnythingElse400) {
  for (std::string id : {"7", "0", "-3", "9007199254740993"}) {
    EXPECT_EQ(Get("/observations/" + id).status, 404) << id;
    EXPECT_EQ(Patch("/observations/" + id, {{"title", "x"}}).status, 404) << id;
    EXPECT_EQ(Delete("/observations/" + id).status, 404) << id;
    EXPECT_EQ(Get("/timeline?observation_id=" + id).status, 404) << id;
  }
  for (std::string id : {"x", "1.5", "1x", "%20"}) {
    EXPECT_EQ(Get("/observations/" + id).status, 400) << id;
    EXPECT_EQ(Patch("/observations/" + id, {{"title", "x"}}).status, 400) << id;
    EXPECT_EQ(Delete("/observations/" + id).status, 400) << id;
  }
}

TEST_F(ContractObservations, AnObservationOfAnUnknownSessionMakesTheSession) {
  MustPost(NoteBody("text"));
  Json sessions = Get("/sessions/recent").body;
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions[0]["id"], "s-p");
  EXPECT_EQ(sessions[0]["project"], "p");
}

}  // namespace
}  // namespace memory
