// When the next pod of an Agent may be evicted.
#include "operator/foreign_pods/eviction_pacer.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

TEST(EvictionPacer, RefusedEvictionBacksOff) {
  EvictionPacer pacer;
  EXPECT_TRUE(pacer.Decide({}, 1'000).evict);
  EXPECT_EQ(pacer.Blocked(1'000), 60'000);
  EXPECT_FALSE(pacer.Decide({}, 60'999).evict);
  EXPECT_EQ(pacer.Decide({}, 60'999).again_ms, 1);
  EXPECT_TRUE(pacer.Decide({}, 61'000).evict);
  EXPECT_EQ(pacer.Blocked(61'000), 120'000);
  EXPECT_EQ(pacer.Blocked(200'000), 240'000);
  EXPECT_EQ(pacer.Blocked(500'000), 300'000);
  EXPECT_EQ(pacer.Blocked(900'000), 300'000);
  pacer.Evicted("p", {}, 1'200'000);
  EXPECT_TRUE(pacer.Decide({"new"}, 1'201'000).evict);
  EXPECT_EQ(pacer.Blocked(1'201'000), 60'000) << "one went: it begins anew";
}

TEST(EvictionPacer, MissingReplacementIsReportedOnceAndStops) {
  EvictionPacer pacer;
  pacer.Evicted("p", {"a", "b"}, 0);
  EXPECT_EQ(pacer.Decide({"a"}, 1'000).again_ms, 119'000);
  EXPECT_EQ(pacer.Decide({"a"}, 119'999).lost, "");
  EXPECT_EQ(pacer.Decide({"a", "b"}, 120'000).lost, "p");
  const EvictionPacer::Verdict again = pacer.Decide({"b"}, 500'000);
  EXPECT_EQ(again.lost, "");
  EXPECT_FALSE(again.evict);
  EXPECT_EQ(again.again_ms, 0);
  EXPECT_TRUE(pacer.Decide({"b", "c"}, 600'000).evict) << "one came after all";
  EXPECT_TRUE(pacer.Decide({"b"}, 700'000).evict) << "and what goes later is no loss of ours";
}

}  // namespace
}  // namespace controller
