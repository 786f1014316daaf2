// One revision of a row by its number, and the pages of all of them.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class RevisionRoute : public ApiTest {
 protected:
  void PostTexts(int count) {
    Json body = NoteBody("");
    body["topic_key"] = "k";
    for (int i = 1; i <= count; ++i) {
      body["content"] = "text " + std::to_string(i);
      body["tags"] = {"tag" + std::to_string(i)};
      clock_.Advance(1'000);
      MustPost(body);
    }
  }
};

TEST_F(RevisionRoute, RevisionReturnsTheRowAsOfThen) {
  PostTexts(3);
  const Json now = Get("/observations/1").body;
  for (int number = 1; number <= 3; ++number) {
    const Answered then = Get("/observations/1?revision=" + std::to_string(number));
    ASSERT_EQ(then.status, 200);
    EXPECT_EQ(then.body["content"], "text " + std::to_string(number));
    EXPECT_EQ(then.body["tags"], Json::array({"tag" + std::to_string(number)}));
    EXPECT_EQ(then.body["revision_count"], number);
    for (const char* same : {"id", "project", "scope", "session_id", "topic_key", "created_at"})
      EXPECT_EQ(then.body[same], now[same]) << same;
  }
  EXPECT_LT(Get("/observations/1?revision=1").body["updated_at"], now["updated_at"]);
  EXPECT_EQ(Get("/observations/1?revision=3").body, now);
}

TEST_F(RevisionRoute, UnknownRevisionIs404WithItsNumber) {
  PostTexts(2);
  const Answered missing = Get("/observations/1?revision=3");
  EXPECT_EQ(missing.status, 404);
  EXPECT_NE(missing.body["error"].get<std::string>().find("no revision 3"), std::string::npos);
  for (const char* bad : {"x", "0", "-1", "1.5", "99999999999999999999", ""})
    EXPECT_EQ(Get(std::string("/observations/1?revision=") + bad).status, 400) << bad;
  EXPECT_EQ(Get("/observations/9?revision=1").status, 404);
  EXPECT_EQ(Send(*client_, "DELETE", "/observations/1", "").status, 204);
  EXPECT_EQ(Get("/observations/1?revision=1").status, 404);
}

TEST_F(RevisionRoute, RevisionPagesCoverEachRevisionOnce) {
  PostTexts(10);
  std::vector<int> seen;
  std::string cursor;
  for (int pages = 0; pages < 10; ++pages) {
    const Answered page = Get("/observations/1/revisions?limit=3" + cursor);
    ASSERT_EQ(page.status, 200);
    for (auto row = page.body.rbegin(); row != page.body.rend(); ++row)
      seen.push_back((*row)["revision"].get<int>());
    const auto next = page.headers.Get("X-Next-Cursor");
    EXPECT_EQ(page.headers.Get("X-Partial").has_value(), next.has_value());
    if (!next) break;
    cursor = "&cursor=" + *next;
  }
  EXPECT_EQ(seen, (std::vector<int>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_FALSE(Get("/observations/1/revisions").headers.Get("X-Partial"));
  EXPECT_EQ(Get("/observations/1/revisions?cursor=x").status, 400);
}

}  // namespace
}  // namespace memory
