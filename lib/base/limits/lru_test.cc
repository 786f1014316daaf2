// Tests which entry a full map evicts.
#include "lib/base/limits/lru.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(LruMap, EvictsTheLeastRecentlyUsed) {
  LruMap<int> kept(2);
  kept.Put("a", 1);
  kept.Put("b", 2);
  EXPECT_TRUE(kept.Find("a"));
  kept.Put("c", 3);
  EXPECT_FALSE(kept.Find("b"));
  EXPECT_EQ(*kept.Find("a"), 1);
  EXPECT_EQ(kept.size(), 2u);
}

}  // namespace
}  // namespace base
