// Which recalled memories a turn gets: its own are left out, as are repeats and most of those that
// only are new.
#include "sidecar/recall/selection.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

RecalledItem Row(int64_t id, std::string content, std::string method = "fts5_bm25") {
  RecalledItem item;
  item.id = id;
  item.content = std::move(content);
  item.method = std::move(method);
  item.trust = "agent";
  return item;
}

std::vector<int64_t> Ids(const Recalled& recalled) {
  std::vector<int64_t> ids;
  for (const RecalledItem& item : recalled.items) ids.push_back(item.id);
  return ids;
}

using List = std::vector<int64_t>;

TEST(Selection, ATurnGetsNothingOfItsOwnSession) {
  Recalled recalled;
  recalled.sessions = {{"own", "now"}, {"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}};
  recalled.items = {Row(1, "theirs"), Row(2, "own"), Row(3, "of a server without sessions")};
  recalled.items[0].session = "a";
  recalled.items[1].session = "own";
  recalled.items[1].created_ms = 5'000;
  const Recalled rest = WithoutOwn(recalled, {"own"}, 0);
  EXPECT_EQ(Ids(rest), (List{1, 3}));
  ASSERT_EQ(rest.sessions.size(), 3U);
  EXPECT_EQ(rest.sessions[0].id, "a");
  EXPECT_EQ(Ids(WithoutOwn(recalled, {}, 0)), (List{1, 2, 3}));
}

TEST(Selection, WhatItSavedBeforeItsTranscriptWasClearedIsNotInTheTranscript) {
  Recalled recalled;
  recalled.items = {Row(1, "before"), Row(2, "after")};
  for (RecalledItem& item : recalled.items) item.session = "own";
  recalled.items[0].created_ms = 4'000;
  recalled.items[1].created_ms = 6'000;
  const conversation::LedgerItem cleared = TranscriptCleared(5'000);
  EXPECT_EQ(Ids(WithoutOwn(recalled, {"own"}, ClearedMs({{cleared.name, cleared.value}}))),
            (List{1}));
}

TEST(Selection, AnItemWhoseWordsStandInAnEarlierOneIsARepeat) {
  struct Case {
    const char *first, *second;
    bool repeats;
  };
  for (const Case& one : {
           Case{"Deploys happen on Tuesdays only.", "deploys happen on Tuesdays only", true},
           Case{"Goal: fix it\nDecided: prices are integer cents.", "Prices are integer cents",
                true},
           Case{"Die Straße ist gesperrt", "die STRASSE ist gesperrt!", true},
           Case{"Use pnpm, not npm", "Use npm", false},
           Case{"Postgres listens on 5433", "Postgres listens on 543", false},
           Case{"Deploys on Tuesdays", "Deploys on Tuesdays only", false},
           Case{"?!", "?!", false},
       }) {
    Recalled recalled;
    recalled.items = {Row(1, one.first), Row(2, one.second)};
    EXPECT_EQ(Ids(WithoutRepeats(recalled)), (one.repeats ? List{1} : List{1, 2})) << one.second;
  }
}

TEST(Selection, AUsersWordsAreNoRepeatOfADigestThatQuotesThem) {
  Recalled recalled;
  recalled.items = {Row(1, "Goal: set up CI\nAsked: we use pytest here"),
                    Row(2, "We use pytest here")};
  recalled.items[1].trust = "user";
  EXPECT_EQ(Ids(WithoutRepeats(recalled)), (List{1, 2}));
  recalled.items[0].trust = "user";
  EXPECT_EQ(Ids(WithoutRepeats(recalled)), (List{1}));
}

TEST(Selection, ATurnGetsTheFirstDigestAlone) {
  Recalled recalled;
  recalled.items = {Row(1, "a"), Row(2, "b"), Row(3, "c"), Row(4, "d", "recency")};
  for (const size_t digest : {1, 2, 3}) recalled.items[digest].type = "session";
  EXPECT_EQ(Ids(WithOneDigest(recalled, {})), (List{1, 2}));
  const conversation::LedgerItem given = LedgerItemOf(recalled.items[1]);
  EXPECT_EQ(Ids(WithOneDigest(recalled, {{given.name, given.value}})), (List{1, 3}));
}

TEST(Selection, OfTheNewestAFirstPromptGetsTwoAUsersFirst) {
  Recalled recalled;
  recalled.items = {Row(1, "a"), Row(2, "b", "fused"), Row(3, "c", "recency"),
                    Row(4, "d", "recency"), Row(5, "e", "recency")};
  recalled.items[4].trust = "user";
  EXPECT_EQ(Ids(WithFewOfTheNewest(recalled)), (List{1, 2, 5, 3}));
}

}  // namespace
}  // namespace sidecar
