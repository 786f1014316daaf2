// EventLimiter, with client-go's limits.
#include "lib/kube/controller/event_limiter.h"

#include <gtest/gtest.h>

namespace kube {
namespace {

using Act = EventLimiter::Decision::Act;

EventFacts Fact(const std::string& note, const std::string& object = "o") {
  return {object, "Warning", "Failed", note};
}

// Like EventRecorder: confirms each kCreate with Made.
EventLimiter::Decision Write(EventLimiter* limiter, const EventFacts& facts, int64_t now_ms) {
  auto decision = limiter->Decide(facts, now_ms);
  if (decision.act == Act::kCreate) limiter->Made(facts, decision, "event-" + facts.note);
  return decision;
}

TEST(EventLimiter, RepeatedEventRaisesACount) {
  EventLimiter limiter;
  EXPECT_EQ(Write(&limiter, Fact("x"), 0).act, Act::kCreate);
  auto second = Write(&limiter, Fact("x"), 1000);
  EXPECT_EQ(second.act, Act::kCount);
  EXPECT_EQ(second.count, 2);
}

TEST(EventLimiter, ThousandFailuresAreAtMost26Writes) {
  EventLimiter limiter;
  int writes = 0, events = 0;
  for (int i = 0; i < 1000; ++i) {
    auto decision = Write(&limiter, Fact("note " + std::to_string(i)), i * 100);
    writes += decision.act != Act::kDrop;
    events += decision.act == Act::kCreate;
  }
  EXPECT_LE(writes, 26);
  EXPECT_EQ(events, 11);  // ten with their own note, and the combined one
}

TEST(EventLimiter, DroppedEventsCountInTheNextWrite) {
  EventLimiter limiter;
  for (int i = 0; i < 100; ++i) Write(&limiter, Fact("x"), 0);
  EXPECT_EQ(Write(&limiter, Fact("x"), 299'000).act, Act::kDrop);
  auto later = Write(&limiter, Fact("x"), 300'000);
  EXPECT_EQ(later.act, Act::kCount);
  EXPECT_EQ(later.count, 102);
  EXPECT_EQ(Write(&limiter, Fact("x"), 300'001).act, Act::kDrop);
}

TEST(EventLimiter, NoisyObjectDoesNotSilenceAnother) {
  EventLimiter limiter;
  for (int i = 0; i < 100; ++i) Write(&limiter, Fact("x", "noisy"), 0);
  EXPECT_EQ(Write(&limiter, Fact("x", "quiet"), 0).act, Act::kCreate);
}

TEST(EventLimiter, CombinedEventIsMarked) {
  EventLimiter limiter;
  for (int i = 0; i < 10; ++i) Write(&limiter, Fact(std::to_string(i)), 0);
  auto combined = Write(&limiter, Fact("11th"), 0);
  EXPECT_EQ(combined.note, "(combined from similar events): 11th");
  EXPECT_EQ(Write(&limiter, Fact("3"), 0).note, "3");            // known notes stay uncombined
  EXPECT_EQ(Write(&limiter, Fact("new"), 700'000).note, "new");  // after ten minutes of silence
}

TEST(EventLimiter, FailedWriteIsRetriedAsNew) {
  EventLimiter limiter;
  EXPECT_EQ(limiter.Decide(Fact("x"), 0).act, Act::kCreate);
  EXPECT_EQ(Write(&limiter, Fact("x"), 0).act, Act::kCreate);
  EXPECT_EQ(Write(&limiter, Fact("x"), 0).event, "event-x");
}

TEST(EventLimiter, SilentObjectIsDroppedOnceItsBucketIsFull) {
  EventLimiter limiter;
  Write(&limiter, Fact("x", "quiet"), 0);
  for (int i = 0; i < 100; ++i) Write(&limiter, Fact("x", "noisy"), 0);
  Write(&limiter, Fact("x", "quiet"), 500'000);
  Write(&limiter, Fact("x", "other"), 1'100'000);  // "quiet" was silent for exactly ten minutes
  EXPECT_EQ(Write(&limiter, Fact("x", "quiet"), 1'100'000).act, Act::kCount);
  Write(&limiter, Fact("x", "other"), 1'800'000);
  EXPECT_EQ(Write(&limiter, Fact("x", "quiet"), 1'800'000).act, Act::kCreate);
  const auto noisy = Write(&limiter, Fact("x", "noisy"), 1'800'000);
  EXPECT_EQ(noisy.act, Act::kCount);  // its bucket is not full: its count continues
  EXPECT_EQ(noisy.count, 101);
}

TEST(EventLimiter, RemembersABoundedNumberOfObjects) {
  EventLimiter limiter(10);
  Write(&limiter, Fact("x", "first"), 0);
  for (int i = 0; i < 100; ++i) Write(&limiter, Fact("x", std::to_string(i)), i + 1);
  EXPECT_EQ(Write(&limiter, Fact("x", "first"), 200).act, Act::kCreate);
  EXPECT_EQ(Write(&limiter, Fact("x", "99"), 200).act, Act::kCount);
}

}  // namespace
}  // namespace kube
