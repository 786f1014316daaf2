// WorkQueue: concurrency, retries, pausing, stopping.
#include "lib/kube/controller/work_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "lib/base/guarded.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_clock.h"

namespace kube {
namespace {

const ObjectKey kA{"n", "a"};

using testing::Eventually;

TEST(WorkQueue, KeyNeverRunsTwiceAtOnce) {
  std::map<ObjectKey, std::atomic<int>> running;
  std::vector<ObjectKey> keys;
  for (int i = 0; i < 5; ++i) keys.push_back({"n", std::to_string(i)});
  for (const ObjectKey& key : keys) running[key] = 0;
  std::atomic<int> clashes = 0, calls = 0;
  WorkQueue queue(
      [&](const ObjectKey& key, std::stop_token) -> base::Result<When> {
        if (running[key]++ != 0) ++clashes;
        std::this_thread::yield();
        --running[key];
        ++calls;
        return When{};
      },
      {});
  queue.Start();
  {
    std::vector<std::jthread> adders;
    for (int t = 0; t < 4; ++t) {
      adders.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) queue.Add(keys[static_cast<size_t>(i) % keys.size()]);
      });
    }
  }
  EXPECT_TRUE(Eventually([&] {
    auto stats = queue.stats();
    return stats.depth == 0 && stats.in_work == 0;
  }));
  EXPECT_EQ(clashes, 0);
  EXPECT_GE(calls, 5);
  EXPECT_LE(calls, 8000);
}

TEST(WorkQueue, MeasuresHowLongAKeyWaited) {
  ::testing::FakeClock clock;
  base::Guarded<std::vector<double>> waited;
  std::atomic<int> calls = 0;
  WorkQueue::Options options;
  options.workers = 1;
  options.on_taken = [&](double seconds) {
    waited.With([&](auto& all) { all.push_back(seconds); });
  };
  WorkQueue queue(
      [&](const ObjectKey&, std::stop_token) -> base::Result<When> {
        return When{++calls == 1 ? 5'000 : 0};
      },
      options, clock);
  queue.Add(kA, Priority::kResync);
  clock.Advance(2'000);
  queue.Add(kA);  // one call, whose wait began with the first Add
  clock.Advance(1'000);
  queue.Start();
  ASSERT_TRUE(Eventually([&] { return calls == 1 && queue.stats().in_work == 0; }));
  clock.Advance(7'000);  // kA was due after 5 s: it has waited for 2 s
  queue.Add({"n", "b"});
  ASSERT_TRUE(Eventually([&] { return calls == 3; }));
  std::vector<double> all = waited.Copy();
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<double>{0, 2, 3}));
}

TEST(WorkQueue, ManyUpdatesOfAnObjectAreFewRuns) {
  std::atomic<int> calls = 0, latest = 0, seen = 0;
  WorkQueue queue(
      [&](const ObjectKey&, std::stop_token) -> base::Result<When> {
        seen = latest.load();
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the duration of a call
        return When{};
      },
      {});
  queue.Start();
  for (int i = 1; i <= 1000; ++i) {
    latest = i;
    queue.Add(kA);
  }
  EXPECT_TRUE(Eventually([&] { return seen == 1000 && queue.stats().in_work == 0; }));
  EXPECT_LE(calls, 10);
}

TEST(WorkQueue, PauseEndsRunningCallsAndCollectsKeys) {
  std::atomic<int> calls = 0, abandoned = 0;
  WorkQueue::Options options;
  options.paused = true;
  WorkQueue queue(
      [&](const ObjectKey& key, std::stop_token stop) -> base::Result<When> {
        ++calls;
        if (key == kA && abandoned == 0) {
          if (Eventually([&] { return stop.stop_requested(); })) ++abandoned;
        }
        EXPECT_TRUE(key == kA || !stop.stop_requested());
        return When{};
      },
      options);
  queue.Start();
  queue.Add(kA);
  queue.AddAfter({"n", "later"}, 1);
  EXPECT_EQ(queue.stats().depth, 1u);
  queue.Resume();
  ASSERT_TRUE(Eventually([&] { return calls == 2 && queue.stats().done == 1; }));
  queue.Add(kA);  // while in work
  queue.Pause();
  queue.Add({"n", "b"});
  ASSERT_TRUE(Eventually([&] { return queue.stats().in_work == 0; }));
  EXPECT_EQ(abandoned, 1);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(queue.stats().depth, 2u);
  queue.Resume();
  EXPECT_TRUE(Eventually([&] { return calls == 4 && queue.stats().in_work == 0; }));
}

TEST(WorkQueue, EditWaitsForNoResync) {
  // Every resync lasts until the edit is done.
  std::atomic<int> resyncs = 0;
  std::atomic<bool> edited = false;
  WorkQueue queue(
      [&](const ObjectKey& key, const std::stop_token&) -> base::Result<When> {
        if (key == kA) {
          edited = true;
        } else {
          ++resyncs;
          Eventually([&] { return edited.load(); });
        }
        return When{};
      },
      {});
  for (int i = 0; i < 10; ++i) queue.Add({"n", std::to_string(i)}, Priority::kResync);
  queue.Start();
  ASSERT_TRUE(Eventually([&] { return resyncs == 3; }));
  queue.Add(kA);
  EXPECT_TRUE(Eventually([&] { return edited.load(); }));
  EXPECT_TRUE(Eventually([&] { return resyncs == 10; }));
}

TEST(WorkQueue, FailuresAreRetriedUntilSuccess) {
  std::atomic<int> calls = 0;
  WorkQueue::Options options;
  options.limits.backoff_base_ms = 1;
  base::Guarded<std::vector<std::string>> outcomes;
  options.on_done = [&](const char* outcome, double) {
    outcomes.With([&](auto& all) { all.push_back(outcome); });
  };
  WorkQueue queue(
      [&](const ObjectKey&, std::stop_token) -> base::Result<When> {
        int call = ++calls;
        if (call == 1) return base::Error{base::Code::kUnavailable, "not now"};
        if (call == 2) throw std::runtime_error("one that throws");
        if (call == 3) return When{5};
        return When{};
      },
      options);
  queue.Add(kA);
  queue.Start();
  EXPECT_TRUE(Eventually([&] { return queue.stats().done == 4; }));
  EXPECT_EQ(queue.stats().failed, 2);
  EXPECT_EQ(queue.stats().exceptions, 1);
  queue.Stop();
  EXPECT_EQ(outcomes.Copy(),
            (std::vector<std::string>{"error", "error", "requeue_after", "success"}));
}

TEST(WorkQueue, PoisonedObjectDoesNotSlowOthers) {
  std::atomic<int> poisoned = 0, others = 0;
  WorkQueue queue(
      [&](const ObjectKey& key, std::stop_token) -> base::Result<When> {
        if (key == kA) {
          ++poisoned;
          return base::Error{base::Code::kInternal, "always"};
        }
        ++others;
        return When{};
      },
      {});
  queue.Add(kA);
  for (int i = 0; i < 1000; ++i) queue.Add({"n", std::to_string(i)});
  queue.Start();
  EXPECT_TRUE(Eventually([&] { return others == 1000; }));
  EXPECT_LE(poisoned, 12);  // 5 ms · 2ⁿ: 11 tries take 10 s
}

TEST(WorkQueue, StopWaitsForRunningWorkAndStartsNone) {
  std::atomic<bool> started = false, finished = false;
  std::atomic<int> calls = 0;
  WorkQueue::Options options;
  options.workers = 1;
  WorkQueue queue(
      [&](const ObjectKey&, std::stop_token stop) -> base::Result<When> {
        ++calls;
        started = true;
        while (!stop.stop_requested()) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        finished = true;
        return When{};
      },
      options);
  for (int i = 0; i < 10; ++i) queue.Add({"n", std::to_string(i)});
  queue.Start();
  EXPECT_TRUE(Eventually([&] { return started.load(); }));
  queue.Stop();
  EXPECT_TRUE(finished);
  EXPECT_EQ(calls, 1);
}

TEST(WorkQueue, SlowStopIsReported) {
  std::atomic<bool> told = false;
  WorkQueue queue(
      [&](const ObjectKey&, std::stop_token stop) -> base::Result<When> {
        while (!stop.stop_requested()) std::this_thread::yield();
        told = true;
        return When{};
      },
      {});
  queue.Add(kA);
  queue.Start();
  EXPECT_TRUE(Eventually([&] { return queue.stats().in_work == 1; }));
  queue.Stop(10);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace kube
