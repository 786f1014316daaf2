// Lists of any length, page by page.
#include "memory/api/api_fixture.h"
#include "memory/api/page_cursor.h"

namespace memory {
namespace {

class PageRoute : public ApiTest {
 protected:
  using Ids = std::vector<int64_t>;
  void PostRows(int count) {
    for (int i = 1; i <= count; ++i) {
      if (i % 2) clock_.Advance(1000);
      MustPost(NoteBody("row " + std::to_string(i)));
    }
  }
  // Every page of a list: the cursor of one is asked with for the next.
  std::vector<Json> Pages(const std::string& target, const char* header = "X-Next-Cursor") {
    std::vector<Json> pages;
    std::string cursor;
    while (pages.size() < 20) {
      const Answered answer = Get(target + cursor);
      EXPECT_EQ(answer.status, 200) << answer.body;
      if (answer.status != 200) break;
      pages.push_back(answer.body);
      const auto next = answer.headers.Get(header);
      if (!next) break;
      cursor = "&cursor=" + http::PercentEncode(*next);
    }
    return pages;
  }
  static Ids AllIds(const std::vector<Json>& pages) {
    Ids ids;
    for (const Json& page : pages)
      for (int64_t id : IdsOf(page)) ids.push_back(id);
    return ids;
  }
  void ExpectNoCursor(const std::string& target) {
    const Answered answer = Get(target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_TRUE(answer.body.value("error", "").starts_with("cursor ")) << answer.body;
  }
};

TEST_F(PageRoute, RecentPagesCoverEachRowOnce) {
  PostRows(7);
  auto pages = Pages("/observations/recent?limit=3");
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].size(), 3u);
  EXPECT_EQ(AllIds(pages), (Ids{7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(AllIds(Pages("/observations/recent?limit=3&project=p&type=discovery")),
            (Ids{7, 6, 5, 4, 3, 2, 1}));
  const Answered first = Get("/observations/recent?limit=6");
  EXPECT_EQ(first.headers.Get("X-Partial"), "true");
  for (const char* whole : {"/observations/recent?limit=7", "/observations/recent?limit=0"}) {
    EXPECT_FALSE(Get(whole).headers.Get("X-Partial")) << whole;
    EXPECT_FALSE(Get(whole).headers.Get("X-Next-Cursor")) << whole;
  }
  // Rows that come between two pages do not move those that follow.
  const std::string cursor =
      "&cursor=" + *Get("/observations/recent?limit=2").headers.Get("X-Next-Cursor");
  MustPost(NoteBody("newer"));
  EXPECT_EQ(IdsOf(Get("/observations/recent?limit=2" + cursor).body), (Ids{5, 4}));
}

TEST_F(PageRoute, SessionPagesCoverEachSessionOnce) {
  for (const char* id : {"a", "b c", "d.e/\"ü\"", "f", "g"})
    EXPECT_EQ(Post("/sessions", {{"id", id}, {"project", "p"}}).status, 201);
  for (const char* target : {"/sessions/recent?limit=2", "/sessions/recent?limit=2&project=p"}) {
    std::vector<std::string> ids;
    for (const Json& page : Pages(target))
      for (const Json& session : page) ids.push_back(session["id"]);
    EXPECT_EQ(ids, (std::vector<std::string>{"g", "f", "d.e/\"ü\"", "b c", "a"}));
  }
  EXPECT_FALSE(Get("/sessions/recent").headers.Get("X-Next-Cursor"));
}

TEST_F(PageRoute, TimelinePagesGoBothWays) {
  PostRows(12);
  const std::string target = "/timeline?observation_id=6&before=1&after=2&limit=2";
  const Answered middle = Get(target);
  EXPECT_EQ(IdsOf(middle.body), (Ids{5, 6, 7, 8}));
  EXPECT_FALSE(middle.headers.Get("X-Partial"));  // it is what was asked for
  EXPECT_EQ(AllIds(Pages(target)), (Ids{5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(AllIds(Pages(target, "X-Previous-Cursor")), (Ids{5, 6, 7, 8, 3, 4, 1, 2}));
  const Answered whole = Get("/timeline?observation_id=6&before=5&after=6");
  EXPECT_EQ(whole.body.size(), 12u);
  EXPECT_FALSE(whole.headers.Get("X-Next-Cursor"));
  EXPECT_FALSE(whole.headers.Get("X-Previous-Cursor"));
  // A cursor leads into no other session than that of the observation.
  MustPost(NoteBody("secret", "q"));
  ExpectNoCursor("/timeline?observation_id=6&cursor=after.13");
  ExpectNoCursor("/timeline?observation_id=6&cursor=before.999");
}

TEST_F(PageRoute, InvalidCursorIs400) {
  PostRows(1);
  for (const char* text : {"", ".", "1", "1.", ".1", "1.x", "x.1", "1.0", "1.-1", "1.1.1", "9e9.1",
                           "99999999999999999999.1", "after.1"})
    ExpectNoCursor("/observations/recent?cursor=" + http::PercentEncode(text));
  for (const char* text : {"", "x", "x.s", "1.", "1.%zz", "1.never"})
    ExpectNoCursor("/sessions/recent?cursor=" + http::PercentEncode(text));
  for (const char* text : {"", "1.1", "after.", "after.x", "after.0", "behind.1"})
    ExpectNoCursor("/timeline?observation_id=1&cursor=" + http::PercentEncode(text));
}

TEST_F(PageRoute, AnswerCutAtTheByteLimitHasACursor) {
  std::string large;
  while (large.size() < 199'000) large += "\U0001F600";
  for (int i = 0; i < 50; ++i) MustPost(NoteBody(std::to_string(i) + large));
  Ids all;
  for (int64_t id = 50; id > 0; --id) all.push_back(id);
  auto pages = Pages("/observations/recent?limit=1000");
  EXPECT_EQ(pages.size(), 2u);
  EXPECT_EQ(AllIds(pages), all);
  std::reverse(all.begin(), all.end());
  pages = Pages("/timeline?observation_id=1&before=0&after=1000&limit=1000");
  EXPECT_GT(pages.size(), 2u);
  EXPECT_EQ(AllIds(pages), all);
}

}  // namespace
}  // namespace memory
