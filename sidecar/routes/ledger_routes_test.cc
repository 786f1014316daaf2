// Shows the ledger's routes, that recalls use the same ledger, and that marks of older volumes
// stay.
#include <gtest/gtest.h>

#include "lib/conversation/sqlite/rows.h"
#include "lib/conversation/working/ledger.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/sidecar_fixture.h"
#include "sidecar/state/state.h"

namespace sidecar {
namespace {

using base::Json;

Json Memory(int64_t id, const std::string& title, int revision = 1) {
  return {{"id", id},     {"type", "bugfix"},      {"title", title},  {"content", "about " + title},
          {"rank", -1.5}, {"method", "fts5_bm25"}, {"trust", "rule"}, {"revision_count", revision}};
}

class LedgerTest : public SidecarTest {
 protected:
  void Remember(const Json& memories) {
    memory_.With([&](StubMemory& stub) { stub.context["recent_observations"] = memories; });
  }
  Reply Post(const std::string& what, const Json& body, const std::string& conversation = "c1") {
    return Ask("POST", "/ledger/" + conversation + "/" + what, body);
  }
  std::map<std::string, std::string> Items(const std::string& conversation = "c1") {
    std::map<std::string, std::string> items;
    const Json list = Ask("GET", "/ledger/" + conversation).body["items"];
    for (const Json& item : list) {
      items[item["item"]] = item["value"];
    }
    return items;
  }
  using Map = std::map<std::string, std::string>;
};

TEST_F(LedgerTest, GetCheckMarkEvict) {
  EXPECT_EQ(Ask("GET", "/ledger/c1").body,
            (Json{{"conversation", "c1"}, {"items", Json::array()}}));
  EXPECT_EQ(Post("check", {{"item", "skill:deploy"}}).body["injected"], false);
  const Reply marked = Post("mark", {{"item", "skill:deploy"}});
  EXPECT_EQ(marked.status, 200);
  EXPECT_EQ(marked.body["injected"], true);
  EXPECT_EQ(marked.body["value"], "injected");
  EXPECT_EQ(Post("mark", {{"item", "skill:test"}, {"value", "v2"}}).body["value"], "v2");
  EXPECT_EQ(Post("check", {{"item", "skill:test"}}).body["value"], "v2");
  EXPECT_EQ(Items(), (Map{{"skill:deploy", "injected"}, {"skill:test", "v2"}}));
  EXPECT_EQ(Items("c2"), Map());
  EXPECT_EQ(Post("evict", {{"item", "skill:deploy"}}).body["evicted"], true);
  EXPECT_EQ(Post("evict", {{"item", "skill:deploy"}}).body["evicted"], false);
  EXPECT_EQ(Post("check", {{"item", "skill:deploy"}}).body["injected"], false);
  Start();
  EXPECT_EQ(Items(), (Map{{"skill:test", "v2"}})) << "kept over a restart";
}

TEST_F(LedgerTest, WhatTurnOneGotTurnTwoDoesNotGetAgain) {
  Remember({Memory(7, "kept"), Memory(8, "other")});
  const std::string first = ContextOf(Prompt("go"));
  EXPECT_NE(first.find("kept"), std::string::npos);
  EXPECT_EQ(Items(), (Map{{"observation:7", "1"}, {"observation:8", "1"}}));
  EXPECT_EQ(Ask("GET", "/ledger/c1").body["items"][0]["turn"], 1);
  EXPECT_EQ(ContextOf(Prompt("go")), "");
  EXPECT_EQ(Post("evict", {{"item", "observation:7"}}).body["evicted"], true);
  const std::string again = ContextOf(Prompt("go"));
  EXPECT_NE(again.find("kept"), std::string::npos);
  EXPECT_EQ(again.find("other"), std::string::npos);
  Remember({Memory(7, "kept"), Memory(8, "revised", 2)});
  EXPECT_NE(ContextOf(Prompt("go")).find("revised"), std::string::npos);
  EXPECT_EQ(Items()["observation:8"], "2");
  EXPECT_EQ(ContextOf(Prompt("go")), "");
}

TEST_F(LedgerTest, AMarkByHandKeepsAMemoryOutWhateverItsRevision) {
  Remember({Memory(7, "unwanted", 3), Memory(8, "wanted")});
  Post("mark", {{"item", "observation:7"}});
  const std::string text = ContextOf(Prompt("go"));
  EXPECT_EQ(text.find("unwanted"), std::string::npos);
  EXPECT_NE(text.find("wanted"), std::string::npos);
}

TEST_F(LedgerTest, AMarkByHandHasTheTurnOfItsConversation) {
  Prompt("go");
  Prompt("go on");
  EXPECT_EQ(Post("mark", {{"item", "skill:deploy"}}).body["turn"], 2);
  EXPECT_EQ(Post("mark", {{"item", "skill:deploy"}}, "unknown").body["turn"], 0);
}

TEST_F(LedgerTest, RefusesWhatIsNoItem) {
  EXPECT_EQ(Post("mark", Json::object()).status, 400);
  EXPECT_EQ(Post("mark", {{"item", ""}}).status, 400);
  EXPECT_EQ(Post("mark", {{"item", 7}}).status, 400);
  EXPECT_EQ(Post("mark", {{"item", std::string(501, 'x')}}).status, 400);
  EXPECT_EQ(Post("mark", {{"item", "x"}, {"value", std::string(501, 'x')}}).status, 400);
  EXPECT_EQ(Post("check", Json::array()).status, 400);
  EXPECT_EQ(Ask("GET", "/ledger/" + std::string(201, 'c')).status, 400);
  EXPECT_EQ(Ask("PUT", "/ledger/c1").status, 405);
}

TEST_F(LedgerTest, SecretsInItemsNeverReachTheDisk) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  Post("mark", {{"item", "skill:" + secret}, {"value", secret}});
  EXPECT_EQ(Post("check", {{"item", "skill:" + secret}}).body["injected"], true);
  EXPECT_EQ(Ask("GET", "/ledger/c1").body.dump().find(secret), std::string::npos);
}

TEST_F(LedgerTest, AListComesInPagesInTheOrderOfItsMarks) {
  running_.reset();
  {
    auto state = State::Open(directory_.path() + "/state", [](const base::Error&) {});
    ASSERT_TRUE(state) << state.error().message;
    const auto filled = (*state)->Change([](sqlite::Database& db) -> base::Status {
      conversation::SqliteRows rows(db);
      for (int i = 0; i < 2'500; ++i) {  // seven a millisecond, so that pages end among equal times
        const std::string item = std::to_string(i % 7) + std::string(400, '\x01');
        RETURN_IF_ERROR(
            conversation::MarkInLedger(rows, "c1", {{item + std::to_string(i), item}, i, i / 7}));
      }
      return {};
    });
    ASSERT_TRUE(filled) << filled.error().message;
  }
  Start();
  std::vector<int64_t> turns;
  std::string target = "/ledger/c1";
  for (int pages = 0; pages < 3; ++pages) {
    const Json answer = Ask("GET", target).body;
    EXPECT_LE(answer["items"].size(), 1'000u);
    EXPECT_LE(answer.dump().size(), size_t{8} << 20);
    for (const Json& item : answer["items"]) turns.push_back(item["turn"]);
    EXPECT_EQ(answer.contains("partial"), pages < 2);
    if (!answer.contains("next_cursor")) break;
    target = "/ledger/c1?cursor=" + answer["next_cursor"].get<std::string>();
  }
  ASSERT_EQ(turns.size(), 2'500u);
  for (size_t i = 0; i < turns.size(); ++i) ASSERT_EQ(turns[i], static_cast<int64_t>(i));
  EXPECT_EQ(Ask("GET", "/ledger/c1?limit=7").body["items"].size(), 7u);
  for (const char* bad : {"limit=0", "limit=1001", "cursor=", "cursor=7", "cursor=7-",
                          "cursor=x-61", "cursor=7-6", "cursor=7-zz", "cursor=-1-61"}) {
    const Reply refused = Ask("GET", std::string("/ledger/c1?") + bad);
    EXPECT_EQ(refused.status, 400) << bad;
  }
}

TEST(Ledger, IsFullAtItsLimitAndStillTakesWhatItHas) {
  testing::TemporaryDirectory directory;
  auto state = State::Open(directory.path(), [](const base::Error&) {});
  ASSERT_TRUE(state) << state.error().message;
  auto filled = (*state)->Change([](sqlite::Database& db) -> base::Status {
    conversation::SqliteRows rows(db);
    ASSIGN_OR_RETURN(auto fill, db.Prepare("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
                                           " SELECT i + 1 FROM n WHERE i < ?)"
                                           " INSERT INTO ledger SELECT 'c', 'item ' || i, '', 0, 0"
                                           " FROM n"));
    RETURN_IF_ERROR(fill.Bind(conversation::kMaxLedgerItems).Run());
    RETURN_IF_ERROR(conversation::MarkInLedger(rows, "c", {{"item 7", "again"}, 0, 1}));
    return conversation::MarkInLedger(rows, "other", {{"item"}, 0, 1});
  });
  ASSERT_TRUE(filled) << filled.error().message;
  auto refused = (*state)->Change([](sqlite::Database& db) {
    conversation::SqliteRows rows(db);
    return conversation::MarkInLedger(rows, "c", {{"one more"}, 0, 1});
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kTooLarge);
  EXPECT_NE(refused.error().message.find("10000"), std::string::npos);
}

TEST(Ledger, AnOlderVolumeKeepsWhatWasInjected) {
  testing::TemporaryDirectory directory;
  {
    auto old =
        sqlite::Database::Open(directory.path() + "/state.db", {.access = sqlite::Access::kWriter});
    ASSERT_TRUE(old);
    ASSERT_TRUE(sqlite::Migrate(*old, {StateSteps().begin(), StateSteps().begin() + 2}));
    auto insert = old->Prepare(
        "INSERT INTO seen_items(conversation, key) VALUES('c','observation:7:2'),"
        "('c','observation:7:10'),('c','observation:81:abc'),('c','session:m:1'),('d','x')");
    ASSERT_TRUE(insert);
    ASSERT_TRUE(insert->Run());
  }
  auto state = State::Open(directory.path(), [](const base::Error&) {});
  ASSERT_TRUE(state) << state.error().message;
  auto ledger = (*state)->Read(
      [](sqlite::Database& db) { return conversation::SqliteRows(db).ReadLedger("c"); });
  ASSERT_TRUE(ledger);
  EXPECT_EQ(*ledger,
            (conversation::Ledger{
                {"observation:7", "10"}, {"observation:81", "abc"}, {"session:m:1", "injected"}}));
}

}  // namespace
}  // namespace sidecar
