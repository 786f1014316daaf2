// The tiers of a write.
#include "memory/model/dedup.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

constexpr int64_t kWindow = 15 * 60 * 1000;
constexpr int64_t kDayStartMs = 1'775'952'000'000;  // 2026-04-12T00:00:00Z

Candidate Row(int64_t row, int64_t content_ms) {
  return {row, "", "project", "bugfix", "", "h", content_ms};
}
Incoming Write(int64_t now_ms) { return {"", "project", "bugfix", "", "h", now_ms}; }

TEST(Dedup, TopicWinsOverHash) {
  Candidate duplicate = Row(1, kDayStartMs), topic = Row(2, 0);
  topic.topic_key = "k";
  topic.hash = "other";
  Incoming incoming = Write(kDayStartMs);
  incoming.topic_key = "k";
  EXPECT_EQ(Decide({duplicate, topic}, incoming, kWindow).row, 2);
  EXPECT_EQ(Decide({duplicate, topic}, incoming, kWindow).tier, Tier::kTopic);
}

TEST(Dedup, ANewTopicKeyIsNeverSwallowedByTheHashTier) {
  Incoming incoming = Write(kDayStartMs);
  incoming.topic_key = "new";
  EXPECT_EQ(Decide({Row(1, kDayStartMs)}, incoming, kWindow).tier, Tier::kNew);
}

TEST(Dedup, ATopicOfAnotherScopeIsAnotherTopic) {
  Candidate topic = Row(2, kDayStartMs);
  topic.topic_key = "k";
  topic.scope = "global";
  Incoming incoming = Write(kDayStartMs);
  incoming.topic_key = "k";
  EXPECT_EQ(Decide({topic}, incoming, kWindow).tier, Tier::kNew);
}

TEST(Dedup, TheWindowIsExactToTheMillisecondAcrossMidnight) {
  int64_t before = kDayStartMs - kWindow / 2;
  EXPECT_EQ(Decide({Row(1, before)}, Write(before + kWindow), kWindow).tier, Tier::kHash);
  EXPECT_EQ(Decide({Row(1, before)}, Write(before + kWindow + 1), kWindow).tier, Tier::kNew);
  EXPECT_EQ(Decide({Row(1, before)}, Write(before + 14 * 3'600'000), kWindow).tier, Tier::kNew);
}

TEST(Dedup, ClockSetBackMakesNoOldRowADuplicate) {
  EXPECT_EQ(Decide({Row(1, kDayStartMs + kWindow + 1)}, Write(kDayStartMs), kWindow).tier,
            Tier::kNew);
}

TEST(Dedup, TypeScopeAndRuleArePartOfTheHashKey) {
  for (auto change : {&Incoming::type, &Incoming::scope, &Incoming::rule}) {
    Incoming incoming = Write(kDayStartMs);
    incoming.*change = "other";
    EXPECT_EQ(Decide({Row(1, kDayStartMs)}, incoming, kWindow).tier, Tier::kNew);
  }
  EXPECT_EQ(Decide({Row(1, kDayStartMs)}, Write(kDayStartMs), kWindow).tier, Tier::kHash);
}

TEST(Dedup, NewestDuplicateIsCounted) {
  EXPECT_EQ(Decide({Row(1, kDayStartMs), Row(2, kDayStartMs + 5), Row(3, kDayStartMs + 2)},
                   Write(kDayStartMs + 9), kWindow)
                .row,
            2);
}

}  // namespace
}  // namespace memory
