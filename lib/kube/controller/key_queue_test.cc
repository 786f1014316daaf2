// The rules of the queue, also against random histories.
#include "lib/kube/controller/key_queue.h"

#include <gtest/gtest.h>

#include <random>

namespace kube {
namespace {

const ObjectKey kFirstKey{"n", "a"}, kB{"n", "b"};

TEST(KeyQueue, SameKeyTwiceIsOneRun) {
  KeyQueue queue;
  queue.Add(kFirstKey);
  queue.Add(kFirstKey);
  EXPECT_EQ(queue.Pop(0), kFirstKey);
  EXPECT_FALSE(queue.Pop(0));
}

TEST(KeyQueue, KeyAddedDuringWorkRunsAgain) {
  KeyQueue queue;
  queue.Add(kFirstKey);
  queue.Pop(0);
  queue.Add(kFirstKey);
  EXPECT_FALSE(queue.Pop(0));
  queue.Done(kFirstKey);
  EXPECT_EQ(queue.Pop(0), kFirstKey);
}

TEST(KeyQueue, EditsPrecedeResyncs) {
  KeyQueue queue;
  for (int i = 0; i < 100; ++i) queue.Add({"n", std::to_string(i)}, Priority::kResync);
  queue.Add(kFirstKey);
  queue.Add({"n", "50"});  // an edit of a waiting key
  EXPECT_EQ(queue.Pop(0), kFirstKey);
  EXPECT_EQ(queue.Pop(0)->name, "50");
  EXPECT_EQ(queue.Pop(0)->name, "0");
  EXPECT_EQ(queue.Depth(), 98u);
}

TEST(KeyQueue, ResyncsDoNotStarveEdits) {
  KeyQueue queue({.resyncs_at_once = 2});
  const ObjectKey kC{"n", "c"};
  for (const ObjectKey& key : {kFirstKey, kB, kC}) queue.Add(key, Priority::kResync);
  EXPECT_EQ(queue.Pop(0), kFirstKey);
  EXPECT_EQ(queue.Pop(0), kB);
  EXPECT_FALSE(queue.HasNext());
  EXPECT_FALSE(queue.Pop(0)) << "two are in work";
  EXPECT_EQ(queue.Depth(), 1u);
  queue.Add(kC);  // now with the priority of an edit
  EXPECT_TRUE(queue.HasNext());
  EXPECT_EQ(queue.Pop(0), kC);
  queue.Add(kFirstKey, Priority::kResync);  // again while in work
  queue.Done(kC);
  EXPECT_FALSE(queue.Pop(0)) << "the end of an edit makes no room for a resync";
  queue.Done(kFirstKey);
  EXPECT_EQ(queue.Pop(0), kFirstKey);
}

TEST(KeyQueue, DelaysMergeToTheEarliest) {
  KeyQueue queue;
  queue.AddAt(kFirstKey, 100);
  queue.AddAt(kFirstKey, 50);
  queue.AddAt(kFirstKey, 70);
  EXPECT_EQ(queue.NextDueMs(), 50);
  EXPECT_FALSE(queue.Pop(49));
  EXPECT_EQ(queue.Pop(50), kFirstKey);
  queue.Done(kFirstKey);
  EXPECT_FALSE(queue.Pop(1000));
}

TEST(KeyQueue, AddCancelsADelay) {
  KeyQueue queue;
  queue.AddAt(kFirstKey, 100);
  queue.Add(kFirstKey);
  EXPECT_EQ(queue.Pop(0), kFirstKey);
  queue.Done(kFirstKey);
  EXPECT_FALSE(queue.Pop(100));
}

TEST(KeyQueue, BackoffDoublesUpToTheCapAndResets) {
  KeyQueue queue;
  int64_t expected_ms = 5;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(queue.Retry(kFirstKey, 0), std::min<int64_t>(expected_ms, 1'000'000)) << i;
    expected_ms = std::min<int64_t>(expected_ms * 2, 1'000'000);
  }
  EXPECT_EQ(queue.Retry(kB, 0), 5);  // a failing key does not delay other keys
  queue.Forget(kFirstKey);
  EXPECT_EQ(queue.Retry(kFirstKey, 0), 5);
}

// In any history no key is in work twice at once, no added key is lost, none is taken too early.
TEST(KeyQueue, InvariantsHoldForRandomHistories) {
  uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    KeyQueue queue;
    std::set<ObjectKey> owed, working;  // owed: added and not taken since
    std::map<ObjectKey, int64_t> due;
    int64_t now_ms = 0;
    for (int step = 0; step < 300; ++step) {
      ObjectKey key{"n", std::to_string(random() % 8)};
      switch (random() % 5) {
        case 0:
          queue.Add(key, random() % 2 ? Priority::kEdit : Priority::kResync);
          owed.insert(key);
          break;
        case 1: {
          int64_t at_ms = now_ms + static_cast<int64_t>(random() % 50);
          queue.AddAt(key, at_ms);
          due[key] = due.contains(key) ? std::min(due[key], at_ms) : at_ms;
          break;
        }
        case 2:
          now_ms += static_cast<int64_t>(random() % 20);
          break;
        case 3:
          if (auto next = queue.Pop(now_ms)) {
            EXPECT_TRUE(working.insert(*next).second) << "worked on twice at once";
            bool expected = owed.contains(*next) || (due.contains(*next) && due[*next] <= now_ms);
            EXPECT_TRUE(expected) << "came without reason";
            owed.erase(*next);
            due.erase(*next);
          }
          break;
        case 4:
          if (!working.empty()) {
            queue.Done(*working.begin());
            working.erase(working.begin());
          }
          break;
      }
    }
    for (const ObjectKey& key : working) queue.Done(key);
    std::set<ObjectKey> seen;
    while (auto next = queue.Pop(now_ms + 1000)) {
      seen.insert(*next);
      queue.Done(*next);
    }
    for (const ObjectKey& key : owed) EXPECT_TRUE(seen.contains(key)) << key.Text() << " was lost";
    EXPECT_EQ(queue.Delayed(), 0u);
  }
}

}  // namespace
}  // namespace kube
