// as_of on search and context: what was believed at an earlier time.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

constexpr const char* kFirst = "2026-04-12T00:00:00Z";
constexpr const char* kSecond = "2026-04-12T01:00:00Z";

class AsOf : public ApiTest {
 protected:
  using Ids = std::vector<int64_t>;
  // One row that changes its text with its hour: at midnight, at one, at two.
  void Tell() {
    for (std::string port : {"7437", "8080", "9090"}) {
      Json body = NoteBody("the port of the zeppelin is " + port);
      body["topic_key"] = "net/port";
      body["tags"] = {"tag" + port};
      MustPost(body);
      clock_.Advance(60 * kMinute);
    }
  }
  Json Search(const std::string& text, const std::string& as_of, const std::string& more = "") {
    Answered answer = Get("/search?q=" + http::PercentEncode(text) + "&as_of=" + as_of + more);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body;
  }
  Json Recall(const std::string& query) {
    return Get("/context?" + query).body["recent_observations"];
  }
};

TEST_F(AsOf, SearchFindsEarlierTextByItsWords) {
  Tell();
  Json then = Search("which port?", kFirst);
  ASSERT_EQ(then.size(), 1u);
  EXPECT_EQ(then[0]["id"], 1);
  EXPECT_EQ(then[0]["content"], "the port of the zeppelin is 7437");
  EXPECT_EQ(then[0]["revision_count"], 1);
  EXPECT_EQ(then[0]["tags"], Json({"tag7437"}));
  EXPECT_LT(then[0]["rank"].get<double>(), 0);
  EXPECT_EQ(Search("7437", kFirst).size(), 1u);
  EXPECT_EQ(Search("tag7437", kFirst).size(), 1u);
  EXPECT_EQ(Search("9090", kFirst), Json::array());
  EXPECT_EQ(Search("7437", kSecond), Json::array());
  EXPECT_EQ(Search("port", kSecond)[0]["content"], "the port of the zeppelin is 8080");
  EXPECT_EQ(Search("port", kSecond)[0]["revision_count"], 2);
  EXPECT_EQ(Search("port", "2026-04-12T02:00:00Z")[0]["content"],
            "the port of the zeppelin is 9090");
  EXPECT_EQ(Search("net/port", kFirst)[0]["revision_count"], 1);
  EXPECT_EQ(Search("port NOT 8080", kFirst, "&syntax=fts5").size(), 1u);
  EXPECT_EQ(Search("port NOT 8080", kSecond, "&syntax=fts5"), Json::array());
}

TEST_F(AsOf, TextIsValidFromItsWriteUntilItsReplacement) {
  MustPost(NoteBody("zeppelin"));
  clock_.Advance(1000);
  Patch("/observations/1", {{"content", "airship"}});
  auto said = [&](int64_t time_ms) {
    Json rows = Search("zeppelin airship", std::to_string(time_ms));
    return rows.empty() ? "" : rows[0]["content"].get<std::string>();
  };
  EXPECT_EQ(said(kMidnight - 1), "");
  EXPECT_EQ(said(kMidnight), "zeppelin");
  EXPECT_EQ(said(kMidnight + 999), "zeppelin");
  EXPECT_EQ(said(kMidnight + 1000), "airship");
  EXPECT_EQ(said(kMidnight + kDay), "airship");
}

TEST_F(AsOf, UnchangedAndReplacedRowsAreRankedTogether) {
  Tell();
  MustPost(NoteBody("a zeppelin has no port, says a long text about something else entirely"));
  MustPost(NoteBody("nothing of it"));
  Json rows = Search("port of the zeppelin 7437", "2026-04-12T04:00:00Z");
  EXPECT_EQ(rows.size(), 2u);
  clock_.Advance(1000);
  MustPost([] {
    Json body = NoteBody("moved");
    body["topic_key"] = "net/port";
    return body;
  }());
  rows = Search("port of the zeppelin 9090", "2026-04-12T03:00:00Z");
  EXPECT_EQ(IdsOf(rows), (Ids{1, 2}));
  EXPECT_EQ(rows[0]["content"], "the port of the zeppelin is 9090");
  EXPECT_LE(rows[0]["rank"].get<double>(), rows[1]["rank"].get<double>());
  EXPECT_EQ(Search("port", "2026-04-12T03:00:00Z", "&limit=1").size(), 1u);
  EXPECT_EQ(Search("port", "2026-04-12T03:00:00Z", "&limit=0").size(), 0u);
}

TEST_F(AsOf, ContextHasNewestRowsAndSummariesOfThatTime) {
  Post("/sessions", {{"id", "a"}, {"project", "p"}});
  Post("/sessions/a/end", {{"messages", {{{"role", "user"}, {"content", "early"}}}}});
  Tell();
  MustPost(NoteBody("young"));
  Post("/sessions", {{"id", "b"}, {"project", "p"}});
  Post("/sessions/b/end", {{"messages", {{{"role", "user"}, {"content", "late"}}}}});
  Json then = Get(std::string("/context?project=p&as_of=") + kSecond).body;
  ASSERT_EQ(then["recent_sessions"].size(), 1u);
  EXPECT_EQ(then["recent_sessions"][0]["id"], "a");
  ASSERT_EQ(then["recent_observations"].size(), 1u);
  EXPECT_EQ(then["recent_observations"][0]["content"], "the port of the zeppelin is 8080");
  EXPECT_EQ(then["recent_observations"][0]["method"], "recency");
  Json asked = Recall(std::string("project=p&query=zeppelin&as_of=") + kSecond);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0]["method"], "fts5_bm25");
  EXPECT_EQ(IdsOf(Recall("project=p&as_of=2030-01-01T00:00:00Z")), (Ids{2, 1}));
  EXPECT_EQ(Recall("project=p&as_of=0"), Json::array());
}

TEST_F(AsOf, FiltersAndScopesApplyToEarlierTexts) {
  Json shared = NoteBody("zeppelin one", "a");
  shared["scope"] = "global";
  shared["topic_key"] = "k";
  MustPost(shared);
  Json own = NoteBody("zeppelin two", "a");
  own["topic_key"] = "k";
  MustPost(own);
  clock_.Advance(1000);
  for (Json body : {shared, own}) {
    body["content"] = "changed";
    body["type"] = "decision";
    MustPost(body);
  }
  const std::string then = std::string("&as_of=") + kFirst;
  EXPECT_EQ(Search("zeppelin", kFirst).size(), 2u);
  EXPECT_EQ(IdsOf(Search("zeppelin", kFirst, "&project=b")), (Ids{1}));
  EXPECT_EQ(IdsOf(Search("zeppelin", kFirst, "&project=a&scope=project")), (Ids{2}));
  EXPECT_EQ(Search("zeppelin", kFirst, "&type=discovery").size(), 2u);
  EXPECT_EQ(Search("zeppelin", kFirst, "&type=decision"), Json::array());
  EXPECT_EQ(IdsOf(Recall("project=b" + then)), (Ids{1}));
  EXPECT_EQ(Search("zeppelin", kFirst, "&project=none&scope=project"), Json::array());
}

TEST_F(AsOf, RowDeletedLaterIsNotFound) {
  Tell();
  Delete("/observations/1");
  EXPECT_EQ(Search("port", kFirst), Json::array());
  EXPECT_EQ(Recall(std::string("as_of=") + kFirst), Json::array());
  Delete("/observations/1?hard=true");
  EXPECT_EQ(Search("port", kSecond), Json::array());
}

TEST_F(AsOf, TimesAreRfc3339OrMilliseconds) {
  Tell();
  for (std::string same : {"2026-04-12T00:30:00Z", "2026-04-12T02:30:00%2B02:00",
                           "2026-04-12T00:30:00.5Z", "1775953800000"}) {
    EXPECT_EQ(Search("port", same)[0]["revision_count"], 1) << same;
  }
  for (std::string bad : {"", "yesterday", "2026-04-12", "2026-13-12T00:00:00Z", "-1", "1.5",
                          "2026-04-12T02:30:00+02:00", "99999999999999999999"}) {
    for (std::string target : {"/search?q=port&as_of=", "/context?as_of="}) {
      Answered answer = Get(target + bad);
      EXPECT_EQ(answer.status, 400) << target << bad;
      EXPECT_EQ(answer.body["error"].get<std::string>().substr(0, 6), "as_of ") << answer.body;
    }
  }
}

}  // namespace
}  // namespace memory
