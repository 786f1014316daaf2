// Tests marks, their limit, pages and eviction.
#include "lib/conversation/working/ledger.h"

#include <gtest/gtest.h>

#include "lib/conversation/rows_fixture.h"

namespace conversation {
namespace {

class LedgerRows : public RowsTest {
 protected:
  // Fills the ledger of "c" up to its limit but `free` items.
  void Fill(int64_t free) {
    std::vector<LedgerEntry> entries;
    for (int64_t i = free; i < kMaxLedgerItems; ++i)
      entries.push_back({{"item " + std::to_string(i)}, 1, i / 7});
    Together([&] { ASSERT_EQ(*AddToLedger(rows(), "c", entries), kMaxLedgerItems - free); });
  }
};
INSTANTIATE_TEST_SUITE_P(Rows, LedgerRows, kBothEngines, EngineName);

TEST_P(LedgerRows, MarkChangesTheValueAndCountsOnce) {
  ASSERT_TRUE(MarkInLedger(rows(), "c", {{"a", "1"}, 2, 10}));
  ASSERT_TRUE(MarkInLedger(rows(), "c", {{"a", "2"}, 3, 11}));
  EXPECT_EQ(*rows().ReadLedger("c"), (Ledger{{"a", "2"}}));
  EXPECT_EQ((*rows().FindInLedger("c", "a"))->turn, 3);
  EXPECT_FALSE(*rows().FindInLedger("c", "b"));
  EXPECT_EQ(*rows().NextLedger(""), "c");
  EXPECT_EQ(*rows().NextLedger("c"), "");
  EXPECT_EQ(*rows().RemoveFromLedger("c", "b"), 0);
  EXPECT_EQ(*rows().RemoveFromLedger("c", "a"), 1);
  EXPECT_TRUE(rows().ReadLedger("c")->empty());
}

TEST_P(LedgerRows, FullLedgerTakesOnlyItemsThatItHas) {
  Fill(1);
  ASSERT_TRUE(MarkInLedger(rows(), "c", {{"the last"}, 1, 1}));
  EXPECT_EQ(MarkInLedger(rows(), "c", {{"one more"}, 1, 1}).error().code, base::Code::kTooLarge);
  EXPECT_TRUE(MarkInLedger(rows(), "c", {{"item 7", "again"}, 1, 1}));
  EXPECT_EQ(AddToLedger(rows(), "c", {{{"one more"}, 1, 1}}).error().code, base::Code::kTooLarge);
  EXPECT_EQ(*AddToLedger(rows(), "c", {{{"item 7"}, 1, 1}}), 0);
  EXPECT_TRUE(MarkInLedger(rows(), "other", {{"one more"}, 1, 1}));
}

TEST_P(LedgerRows, PagesFollowTheOrderOfMarking) {
  Fill(kMaxLedgerItems - 100);
  LedgerPlace place;
  int64_t seen = 0;
  while (seen <= 100) {  // more would be the same again
    const auto page = *rows().ListLedger("c", place, 9);
    if (page.empty()) break;
    for (const LedgerEntry& entry : page) {
      EXPECT_LT(std::tie(place.marked_ms, place.item), std::tie(entry.marked_ms, entry.item.name));
      place = {entry.marked_ms, entry.item.name};
      ++seen;
    }
  }
  EXPECT_EQ(seen, 100);
  EXPECT_EQ(*rows().RemoveFromLedger("c", std::nullopt), 100);
}

}  // namespace
}  // namespace conversation
