// When the next pod of an Agent may be evicted.
#include "operator/foreign_pods/eviction_pacer.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

TEST(Replacing, APodThatMayNotBeEvictedIsTriedEverMoreSeldom) {
  Replacing replacing;
  EXPECT_TRUE(replacing.Look({}, 1'000).evict);
  EXPECT_EQ(replacing.Blocked(1'000), 60'000);
  EXPECT_FALSE(replacing.Look({}, 60'999).evict);
  EXPECT_EQ(replacing.Look({}, 60'999).again_ms, 1);
  EXPECT_TRUE(replacing.Look({}, 61'000).evict);
  EXPECT_EQ(replacing.Blocked(61'000), 120'000);
  EXPECT_EQ(replacing.Blocked(200'000), 240'000);
  EXPECT_EQ(replacing.Blocked(500'000), 300'000);
  EXPECT_EQ(replacing.Blocked(900'000), 300'000);
  replacing.Evicted("p", {}, 1'200'000);
  EXPECT_TRUE(replacing.Look({"new"}, 1'201'000).evict);
  EXPECT_EQ(replacing.Blocked(1'201'000), 60'000) << "one went: it begins anew";
}

TEST(Replacing, ThatNoneCameIsToldOnceAndStopsIt) {
  Replacing replacing;
  replacing.Evicted("p", {"a", "b"}, 0);
  EXPECT_EQ(replacing.Look({"a"}, 1'000).again_ms, 119'000);
  EXPECT_EQ(replacing.Look({"a"}, 119'999).lost, "");
  EXPECT_EQ(replacing.Look({"a", "b"}, 120'000).lost, "p");
  const Replacing::Verdict again = replacing.Look({"b"}, 500'000);
  EXPECT_EQ(again.lost, "");
  EXPECT_FALSE(again.evict);
  EXPECT_EQ(again.again_ms, 0);
  EXPECT_TRUE(replacing.Look({"b", "c"}, 600'000).evict) << "one came after all";
  EXPECT_TRUE(replacing.Look({"b"}, 700'000).evict) << "and what goes later is no loss of ours";
}

}  // namespace
}  // namespace controller
