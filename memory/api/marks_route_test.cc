// Pinned and buried memories, as clients see them.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class MarksRoute : public ApiTest {
 protected:
  int64_t Saved(const std::string& content, const std::string& project = "p") {
    clock_.Advance(1000);
    return MustPost(NoteBody(content, project));
  }
  Answered Mark(int64_t id, const Json& marks) { return Patch(PathOf(id), marks); }
  static std::string PathOf(int64_t id) { return "/observations/" + std::to_string(id); }
  std::vector<int64_t> Found(const std::string& query) {
    return IdsOf(Get("/search?" + query).body);
  }
  std::vector<int64_t> Recalled(const std::string& query) {
    return IdsOf(Get("/context?" + query).body["recent_observations"]);
  }
  void SetRetention(const std::string& rules) {
    const Answered put =
        Send(*client_, "PUT", "/retention?project=p", R"({"retention":)" + rules + "}");
    ASSERT_EQ(put.status, 200) << put.body;
  }
};

using Ids = std::vector<int64_t>;

TEST_F(MarksRoute, MarksAreTagsThatOnlyTheirFieldsChange) {
  const int64_t id = Saved("a text");
  EXPECT_EQ(Patch(PathOf(id), {{"tags", {"a", "@pinned"}}}).body["tags"], Json({"a"}));
  EXPECT_EQ(Mark(id, {{"pinned", true}}).body["tags"], Json({"a", "@pinned"}));
  EXPECT_EQ(Patch(PathOf(id), {{"tags", {"b", "@buried"}}}).body["tags"], Json({"b", "@pinned"}));
  const Answered again = Mark(id, {{"pinned", true}});
  EXPECT_EQ(again.body["revision_count"], 4) << "twice is once";
  EXPECT_EQ(Mark(id, {{"buried", true}}).body["tags"], Json({"b", "@pinned", "@buried"}));
  EXPECT_EQ(Mark(id, {{"pinned", false}, {"buried", false}}).body["tags"], Json({"b"}));
  EXPECT_EQ(Mark(id, {{"pinned", "yes"}}).status, 400);
  EXPECT_EQ(Mark(99, {{"pinned", true}}).status, 404);
  Json body = NoteBody("another text");
  body["tags"] = {"@pinned", "c"};
  EXPECT_EQ(Get(PathOf(MustPost(body))).body["tags"], Json({"c"}));
}

TEST_F(MarksRoute, AWriteByTheTopicKeepsThem) {
  Json body = NoteBody("first text");
  body["topic_key"] = "k";
  body["tags"] = {"a"};
  const int64_t id = MustPost(body);
  Mark(id, {{"pinned", true}});
  body["content"] = "second text";
  body["tags"] = {"b", "@buried"};
  EXPECT_EQ(MustPost(body), id);
  EXPECT_EQ(Get(PathOf(id)).body["tags"], Json({"b", "@pinned"}));
}

TEST_F(MarksRoute, OnlyAUserPinsAndBuries) {
  Json body = NoteBody("an agent's text");
  body["source"] = {{"origin", "agent"}};
  const int64_t id = MustPost(body);
  for (const char* mark : {"pinned", "buried"}) {
    const Answered refused = Mark(id, {{mark, true}, {"source", {{"origin", "agent"}}}});
    EXPECT_EQ(refused.status, 403) << refused.body;
    EXPECT_NE(refused.body["error"].get<std::string>().find("only a user"), std::string::npos);
  }
  EXPECT_EQ(Get(PathOf(id)).body["tags"], Json::array());
  EXPECT_EQ(Mark(id, {{"pinned", true}}).body["source"]["origin"], "agent") << "no more trusted";
}

TEST_F(MarksRoute, APinnedMemoryNeverExpires) {
  SetRetention(R"([{"ttl": "1h"}])");
  const int64_t pinned = Saved("a lasting walrus"), other = Saved("a fleeting walrus");
  Mark(pinned, {{"pinned", true}});
  clock_.Advance(400 * kDay);
  EXPECT_EQ(Get(PathOf(pinned)).status, 200);
  EXPECT_EQ(Get(PathOf(other)).status, 404);
  EXPECT_EQ(Found("q=walrus"), Ids{pinned});
  EXPECT_EQ(IdsOf(Get("/observations/recent").body), Ids{pinned});
  Mark(pinned, {{"pinned", false}});
  clock_.Advance(2 * 60 * kMinute);
  EXPECT_EQ(Get(PathOf(pinned)).status, 404) << "from then on it ages again";
}

TEST_F(MarksRoute, PinnedMemoriesAreFirstInRank) {
  const int64_t weak = Saved("the walrus is one of many words in this long and weak text of ours");
  const int64_t strong = Saved("walrus walrus"), none = Saved("nothing of the kind");
  EXPECT_EQ(Found("q=walrus&project=p"), (Ids{strong, weak}));
  Mark(weak, {{"pinned", true}});
  Mark(none, {{"pinned", true}});
  for (const char* query : {"q=walrus&project=p", "q=walrus", "q=walrus&limit=1"})
    EXPECT_EQ(Found(query)[0], weak) << query;
  EXPECT_EQ(Recalled("query=walrus&project=p")[0], weak);
  EXPECT_EQ(Found("q=walrus&project=p").size(), 2u) << "a pin finds no other text";
}

TEST_F(MarksRoute, BuriedMemoriesAreFoundButNotInjected) {
  const int64_t buried = Saved("walrus walrus"), other = Saved("the walrus and more words");
  EXPECT_EQ(Recalled("query=walrus&project=p"), (Ids{buried, other}));
  Mark(buried, {{"buried", true}});
  EXPECT_EQ(Found("q=walrus&project=p"), (Ids{buried, other}));
  EXPECT_EQ(Recalled("query=walrus&project=p"), Ids{other});
  EXPECT_EQ(Recalled("query=walrus&project=p&limit=1"), Ids{other}) << "takes nobody's place";
  EXPECT_EQ(Recalled("project=p"), Ids{other}) << "nor as one of the newest";
  EXPECT_EQ(Get("/observations/recent?project=p").body.size(), 2u);
  Mark(buried, {{"buried", false}});
  EXPECT_EQ(Recalled("query=walrus&project=p"), (Ids{buried, other}));
}

TEST_F(MarksRoute, ExportsAndImportsKeepThem) {
  const int64_t pinned = Saved("the first walrus"), buried = Saved("the second walrus");
  Mark(pinned, {{"pinned", true}});
  Mark(buried, {{"buried", true}});
  const std::string file = base::DumpJson(Get("/export?format=json").body);
  StartEmpty();
  const Answered report = PostText("/import?format=json&trust=user", file);
  ASSERT_EQ(report.body["imported_observations"], 2) << report.body;
  SetRetention(R"([{"ttl": "1h"}])");
  EXPECT_EQ(Recalled("query=walrus&project=p"), Ids{pinned});
  clock_.Advance(400 * kDay);
  EXPECT_EQ(Found("q=walrus"), Ids{pinned});
}

}  // namespace
}  // namespace memory
