// The contract's search, context, timeline and statistics, sentence by sentence; what is not here
// is in found_route_test.cc.
#include "lib/base/text/text.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class ContractFinding : public ApiTest {
 protected:
  using Ids = std::vector<int64_t>;
  int64_t Make(const std::string& content, const std::string& project = "p",
               const std::string& scope = "project", const std::string& type = "discovery") {
    Json body = NoteBody(content, project);
    // Its own session: neighbours are not what these tests are about.
    body["session_id"] = "s" + std::to_string(++made_);
    body["scope"] = scope;
    body["type"] = type;
    clock_.Advance(1000);
    return MustPost(body);
  }
  Ids Find(const std::string& text, const std::string& more = "") {
    Answered answer = Get("/search?q=" + http::PercentEncode(text) + more);
    EXPECT_EQ(answer.status, 200) << text << answer.body;
    return IdsOf(answer.body);
  }
  Ids Recall(const std::string& query) {
    return IdsOf(Get("/context?" + query).body["recent_observations"]);
  }
  int made_ = 0;
};

TEST_F(ContractFinding, SearchLimitDefaultsTo10) {
  for (int i = 0; i < 12; ++i) Make("zeppelin " + std::to_string(i));
  EXPECT_EQ(Find("zeppelin").size(), 10u);
  EXPECT_EQ(Find("zeppelin", "&limit=12").size(), 12u);
  EXPECT_EQ(Find("zeppelin", "&limit=0").size(), 0u);
}

TEST_F(ContractFinding, SearchFiltersByProjectTypeAndScope) {
  Make("zeppelin a", "one");
  Make("zeppelin b", "one", "project", "bugfix");
  Make("zeppelin c", "one", "global");
  Make("zeppelin d", "two");
  auto sorted = [&](const std::string& more) {
    Ids ids = Find("zeppelin", more);
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  EXPECT_EQ(sorted(""), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(sorted("&project=ONE"), (Ids{1, 2, 3}));
  EXPECT_EQ(sorted("&project=one&scope=project"), (Ids{1, 2}));
  EXPECT_EQ(sorted("&scope=global"), (Ids{3}));
  EXPECT_EQ(sorted("&type=bugfix"), (Ids{2}));
  EXPECT_EQ(sorted("&project=one&type=discovery&scope=global"), (Ids{3}));
}

TEST_F(ContractFinding, ALowerRankIsABetterMatchAndComesFirst) {
  Make("zeppelin over paris, and much else that has nothing to do with it at all");
  Make("zeppelin zeppelin");
  Make("the zeppelin landed in paris");
  Json list = Get("/search?q=zeppelin%20paris").body;
  ASSERT_EQ(list.size(), 3u);
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_LT(list[i]["rank"].get<double>(), 0);
    if (i == 0) continue;
    EXPECT_GE(list[i]["rank"].get<double>(), list[i - 1]["rank"].get<double>());
  }
  EXPECT_EQ(list[0]["id"], 3);
}

TEST_F(ContractFinding, AHitHasTheFieldsOfThePageAndItsWholeContent) {
  Json body = NoteBody("zeppelin " + std::string(400, 'x'));
  body["topic_key"] = "k";
  MustPost(body);
  Json hit = Get("/search?q=zeppelin").body.at(0);
  for (const char* field : {"id", "type", "title", "content", "rank", "topic_key"})
    EXPECT_TRUE(hit.contains(field)) << field;
  EXPECT_EQ(hit["content"], body["content"]);
  EXPECT_EQ(hit["revision_count"], 1);
}

TEST_F(ContractFinding, GlobalMemoryCrossesProjectsAndProjectMemoryNever) {
  Make("global zeppelin", "one", "global");
  Make("private zeppelin", "one");
  EXPECT_EQ(Find("zeppelin", "&project=two"), (Ids{1}));
  EXPECT_EQ(Recall("project=two&query=zeppelin"), (Ids{1}));
  EXPECT_EQ(Recall("project=two"), (Ids{1}));
  EXPECT_EQ(Recall("project=two&scope=project"), (Ids{}));
  EXPECT_EQ(Recall("project=one"), (Ids{2, 1}));
  EXPECT_EQ(IdsOf(Get("/observations/recent?project=two").body), (Ids{}));
}

TEST_F(ContractFinding, AProjectIsFoundInAnyCase) {
  Make("zeppelin", "MyAgent");
  EXPECT_EQ(Find("zeppelin", "&project=myagent"), (Ids{1}));
  EXPECT_EQ(Recall("project=MYAGENT"), (Ids{1}));
  EXPECT_EQ(Get("/search?q=zeppelin&project=MYagent").body.at(0)["project"], "MyAgent");
}

TEST_F(ContractFinding, ContextGivesFiveObservationsByDefaultNewestFirst) {
  for (int i = 0; i < 7; ++i) Make("row " + std::to_string(i));
  EXPECT_EQ(Recall("project=p"), (Ids{7, 6, 5, 4, 3}));
  EXPECT_EQ(Recall("project=p&limit=2"), (Ids{7, 6}));
  EXPECT_EQ(Recall("project=p&limit=0"), (Ids{}));
}

TEST_F(ContractFinding, ContextWithAQueryIsRankedAndFilledUpByRecency) {
  Make("zeppelin");
  for (int i = 0; i < 4; ++i) Make("filler " + std::to_string(i));
  Json rows = Get("/context?project=p&query=zeppelin&limit=3").body["recent_observations"];
  EXPECT_EQ(IdsOf(rows), (Ids{1, 5, 4}));
  EXPECT_EQ(rows[0]["method"], "fts5_bm25");
  EXPECT_LT(rows[0]["rank"].get<double>(), 0);
  EXPECT_EQ(rows[1]["method"], "recency");
  EXPECT_EQ(rows[1]["rank"], 0);
}

TEST_F(ContractFinding, SearchAndContextTakeTheQueryByEitherName) {
  Make("zeppelin");
  for (const char* name : {"q", "query"}) {
    const std::string given = std::string(name) + "=zeppelin";
    EXPECT_EQ(IdsOf(Get("/search?" + given).body), (Ids{1})) << name;
    EXPECT_EQ(Recall("project=p&backfill=false&" + given), (Ids{1})) << name;
  }
  EXPECT_EQ(Find("zeppelin", "&query=other"), (Ids{1})) << "q comes first";
}

TEST_F(ContractFinding, ContextWithoutBackfillHasWhatFitsAlone) {
  Make("zeppelin");
  for (int i = 0; i < 4; ++i) Make("filler " + std::to_string(i));
  EXPECT_EQ(Recall("project=p&query=zeppelin&backfill=false"), (Ids{1}));
  EXPECT_EQ(Recall("project=p&query=nothing&backfill=0"), (Ids{}));
  EXPECT_EQ(Recall("project=p&query=zeppelin&limit=2&backfill=true"), (Ids{1, 5}));
  const Answered odd = Get("/context?project=p&backfill=some");
  EXPECT_EQ(odd.status, 400);
  EXPECT_NE(odd.body["error"].get<std::string>().find("backfill must be true or false"),
            std::string::npos);
  EXPECT_EQ(Get("/context?project=p&query=zeppelin").body["recent_observations"][0]["session_id"],
            "s1");
}

TEST_F(ContractFinding, ContextCutsContentAtThreeHundredCharacters) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "語";
  Make(text);
  Make(text + "語");
  Json rows = Get("/context?project=p").body["recent_observations"];
  EXPECT_EQ(rows[0]["content"], std::string(base::Prefix(text, 299)) + "…");
  EXPECT_EQ(rows[1]["content"], text);
}

TEST_F(ContractFinding, ContextHasTheSummariesOfTheThreeSessionsThatEndedLast) {
  for (std::string id : {"a", "b", "c", "d"}) Post("/sessions", {{"id", id}, {"project", "p"}});
  for (std::string id : {"d", "b", "c", "a"}) {
    clock_.Advance(1000);
    Post("/sessions/" + id + "/end", {{"messages", {{{"role", "user"}, {"content", id}}}}});
  }
  auto said = [&](const std::string& more) {
    std::string ids;
    Json context = Get("/context?project=p" + more).body;
    for (const Json& session : context["recent_sessions"]) ids += session["id"].get<std::string>();
    return ids;
  };
  EXPECT_EQ(said(""), "acb");
  EXPECT_EQ(said("&sessions=1"), "a");
  EXPECT_EQ(said("&sessions=0"), "");
  EXPECT_EQ(Get("/context?project=p").body["recent_sessions"][0]["summary"],
            "Session with 1 messages. Started: \"a\"");
}

TEST_F(ContractFinding, SearchKnowsTagsAndTopicKeysButNoProjectOrTypeByName) {
  Json body = NoteBody("something", "billing");
  body["tags"] = {"kubernetes"};
  body["topic_key"] = "path/to_it/100%";
  MustPost(body);
  MustPost(NoteBody("else", "billing"));
  EXPECT_EQ(Find("kubernetes"), (Ids{1}));
  EXPECT_EQ(Find("path/to_it/100%"), (Ids{1}));
  EXPECT_EQ(Find("path/to"), (Ids{1}));
  EXPECT_EQ(Find("path/to%"), (Ids{}));  // no wildcard
  EXPECT_EQ(Find("billing"), (Ids{}));
  EXPECT_EQ(Find("discovery"), (Ids{}));
  EXPECT_EQ(Find("path/to_it/100%", "&type=bugfix"), (Ids{}));
}

TEST_F(ContractFinding, AuditAndSecurityAreFoundOnlyWhenTheirTypeIsAskedFor) {
  Make("zeppelin denied", "p", "project", "audit");
  Make("zeppelin key", "p", "project", "security");
  EXPECT_EQ(Find("zeppelin"), (Ids{}));
  EXPECT_EQ(Recall("query=zeppelin"), (Ids{}));
  EXPECT_EQ(Recall(""), (Ids{}));
  EXPECT_EQ(Find("zeppelin", "&type=security"), (Ids{2}));
  EXPECT_EQ(Recall("type=audit"), (Ids{1}));
}

TEST_F(ContractFinding, TheTimelineHasThreeBeforeAndThreeAfterOfItsSessionInOrder) {
  for (int i = 0; i < 5; ++i) {
    MustPost(NoteBody("mine " + std::to_string(i)));  // all in one second
    MustPost(NoteBody("theirs " + std::to_string(i), "q"));
  }
  Answered answer = Get("/timeline?observation_id=9");
  EXPECT_EQ(IdsOf(answer.body), (Ids{3, 5, 7, 9}));
  for (const char* field : {"id", "type", "title", "content", "created_at"})
    EXPECT_TRUE(answer.body[0].contains(field)) << field;
  EXPECT_EQ(IdsOf(Get("/timeline?observation_id=1").body), (Ids{1, 3, 5, 7}));
  EXPECT_EQ(IdsOf(Get("/timeline?observation_id=5&before=1&after=0").body), (Ids{3, 5}));
  EXPECT_EQ(IdsOf(Get("/timeline?observation_id=5&before=0&after=0").body), (Ids{5}));
  EXPECT_EQ(Get("/timeline").body["error"], "observation_id is required");
}

TEST_F(ContractFinding, StatisticsOfAProjectAreItsOwn) {
  Make("a", "alpha");
  Make("b", "beta", "global");
  Make("c", "beta");
  EXPECT_EQ(
      Get("/stats").body,
      (Json{{"total_sessions", 3}, {"total_observations", 3}, {"projects", {"alpha", "beta"}}}));
  EXPECT_EQ(Get("/stats?project=beta").body,
            (Json{{"total_sessions", 2}, {"total_observations", 2}, {"projects", {"beta"}}}));
  EXPECT_EQ(Get("/stats?project=none").body,
            (Json{{"total_sessions", 0}, {"total_observations", 0}, {"projects", Json::array()}}));
}

}  // namespace
}  // namespace memory
