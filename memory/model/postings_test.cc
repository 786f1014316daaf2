// What a range's index knows of rows that no word found.
#include "memory/model/postings.h"

#include <gtest/gtest.h>

#include <vector>

#include "memory/model/slots.h"

namespace memory {
namespace {

constexpr int64_t kPostingsRange = 2;

int64_t PostingsSlot(int64_t number) { return kPostingsRange << kRangeBits | number; }

TEST(Postings, GiveTheFactsOfLiveRowsOfTheirRange) {
  RangeIndex index(kPostingsRange);
  std::vector<RangeIndex::NewRow> rows;
  for (const int64_t number : {7, 3, 5}) {
    Record facts;
    facts.slot = PostingsSlot(number);
    facts.session = 1;
    facts.position = 10 * number;
    facts.flags = 8;
    rows.push_back({facts, {}});
  }
  index.Put(std::move(rows));
  index.Remove(PostingsSlot(5));
  std::vector<Record> records;
  index.AppendRecordsOf(
      std::vector<int64_t>{3, PostingsSlot(1), PostingsSlot(3), PostingsSlot(5), PostingsSlot(7)},
      records);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].slot, PostingsSlot(3));
  EXPECT_EQ(records[0].position, 30);
  EXPECT_EQ(records[0].flags, 8);
  EXPECT_EQ(records[1].slot, PostingsSlot(7));
}

}  // namespace
}  // namespace memory
