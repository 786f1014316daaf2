// The loop of list and watch under every fault of a server: finally the store equals the server, no
// change is reported twice, and the server gets few requests.
#include <latch>

#include "lib/kube/cache/reflector_fixture.h"

namespace kube {
namespace {

TEST_F(ReflectorTest, ListsInPagesThenFollows) {
  for (const char* name : {"a", "b", "c"}) Put(name);
  Start();
  EXPECT_EQ(Reported(), "+a! +b! +c! ");
  Put("b", "2");
  Remove("c");
  Put("d");
  EXPECT_TRUE(Eventually([&] { return Equal(); }));
  EXPECT_EQ(Reported(), "~b -c +d ");
  EXPECT_EQ(reflector_.stats().lists, 1);
}

TEST_F(ReflectorTest, GoneEventCausesOneRelistOfChanges) {
  for (const char* name : {"a", "b", "c"}) Put(name);
  Start();
  Reported();
  cluster_.HoldEvents(true);  // the watch never sends the next changes
  Put("b", "2");
  Remove("c");
  cluster_.ExpireStreams();
  cluster_.Compact();
  cluster_.HoldEvents(false);
  EXPECT_TRUE(
      Eventually([&] { return reflector_.stats().lists == 2 && cluster_.open_watches() == 1; }));
  EXPECT_TRUE(Equal());
  EXPECT_EQ(Reported(), "-c! ~b! ");
  EXPECT_EQ(reflector_.stats().watch_ends.at("expired"), 1);
}

TEST_F(ReflectorTest, GoneStatusCausesARelist) {
  Put("a");
  Start();
  cluster_.Inject({"WATCH", "", 410});
  cluster_.BreakStreams();
  EXPECT_TRUE(
      Eventually([&] { return reflector_.stats().lists == 2 && cluster_.open_watches() == 1; }));
  Put("b");
  EXPECT_TRUE(Eventually([&] { return Equal(); }));
}

TEST_F(ReflectorTest, StoreEqualsServerAfterHundredFaults) {
  Start();
  for (int i = 0; i < 100; ++i) {
    Put("m" + std::to_string(i % 7), std::to_string(i));
    if (i % 3 == 0) Remove("m" + std::to_string((i * 5) % 7));
    switch (i % 6) {
      case 0:
        cluster_.ExpireStreams();
        break;
      case 1:
        cluster_.Inject({"WATCH", "", 410});
        break;
      case 2:
        cluster_.BreakStreams();
        break;
      case 3:
        cluster_.Compact();
        break;
      case 4:
        cluster_.Inject({"LIST", "", i % 4 == 0 ? 500 : 0});
        break;
      case 5:
        cluster_.BreakStreams(base::Code::kTimeout);
        break;
    }
  }
  EXPECT_TRUE(Eventually([&] { return Equal() && cluster_.open_watches() == 1; }));
}

TEST_F(ReflectorTest, BrokenStreamResumesAtLastVersion) {
  Put("a");
  Start();
  Put("b");
  EXPECT_TRUE(Eventually([&] { return Equal(); }));
  cluster_.BreakStreams();
  Put("c");
  EXPECT_TRUE(Eventually([&] { return Equal(); }));
  EXPECT_EQ(reflector_.stats().lists, 1);
  EXPECT_EQ(Reported(), "+a! +b +c ");
}

TEST_F(ReflectorTest, BookmarkMovesTheResumeVersion) {
  Put("a");
  Start();
  cluster_.Put({{"apiVersion", "v1"}, {"kind", "Service"}, {"metadata", {{"name", "s"}}}});
  cluster_.SendBookmarks();
  std::string version = std::to_string(cluster_.version());
  ASSERT_TRUE(store_.WaitForVersion(version, 10'000, {}));
  cluster_.ForgetCalls();
  cluster_.Compact();
  cluster_.BreakStreams();
  auto resumed = [&] {
    for (const auto& call : cluster_.calls()) {
      if (call.verb == "WATCH") return call.query.at("resourceVersion") == version;
    }
    return false;
  };
  EXPECT_TRUE(Eventually(resumed));
  EXPECT_EQ(reflector_.stats().lists, 1);
}

TEST_F(ReflectorTest, ServerRestoredFromBackupIsDetected) {
  Put("a");
  cluster_.SaveBackup();
  Start();
  Put("a", "2");
  Put("b");
  EXPECT_TRUE(Eventually([&] { return Equal(); }));
  cluster_.RestoreBackup();
  EXPECT_TRUE(Eventually([&] { return Equal() && cluster_.open_watches() == 1; }));
  Put("c");
  EXPECT_TRUE(Eventually([&] { return Equal(); }));
}

TEST_F(ReflectorTest, RepeatedEventsAreReportedOnce) {
  Start();
  cluster_.RepeatEvents(true);
  Put("a");
  Put("a", "2");
  EXPECT_TRUE(Eventually([&] { return Equal(); }));
  EXPECT_EQ(Reported(), "+a ~a ");
}

TEST_F(ReflectorTest, TooLargeListIsReadInSmallerPages) {
  for (const char* name : {"a", "b", "c"}) Put(name);
  cluster_.Inject({"LIST", "", 413});
  Start();
  EXPECT_TRUE(Equal());
  EXPECT_EQ(cluster_.calls().back().verb, "WATCH");
  EXPECT_EQ(cluster_.calls().at(1).query.at("limit"), "1");
}

TEST_F(ReflectorTest, RefusingServerIsNotFlooded) {
  cluster_.Inject({"", "", 500, 0, false, 1'000'000});
  reflector_.Start();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the time that is measured
  EXPECT_LE(cluster_.calls().size(), 50u);
  EXPECT_TRUE(Eventually([&] { return cluster_.calls().size() >= 4; })) << "it goes on asking";
  EXPECT_FALSE(reflector_.synced());
  EXPECT_GT(reflector_.stats().failing_since_ms, 0);
  cluster_.ClearFaults();
  EXPECT_TRUE(Eventually([&] { return reflector_.synced(); }));
  EXPECT_EQ(reflector_.stats().failing_since_ms, 0);
}

TEST_F(ReflectorTest, RetryAfterIsRespected) {
  cluster_.Inject({"LIST", "", 429, 1});
  auto start = std::chrono::steady_clock::now();
  Start();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(990));
  EXPECT_EQ(cluster_.calls().at(1).verb, "LIST");
}

TEST_F(ReflectorTest, StopsInAnyState) {
  Start();
  reflector_.Stop();
  EXPECT_EQ(cluster_.open_watches(), 0u);
  reflector_.Stop();
}

TEST_F(ReflectorTest, FollowsOverAThousandStreams) {
  ReflectorOptions options = Options();
  options.backoff_base_ms = options.backoff_cap_ms = 1;
  Reflector reflector(client_, store_, options, [](const Change&, bool) {});
  reflector.Start();
  ASSERT_TRUE(Eventually([&] { return reflector.synced(); }));
  for (int i = 0; i < 1000; ++i) {
    Put("m" + std::to_string(i % 7), std::to_string(i));
    const int64_t until_ms = base::SystemClock().MonotonicMs() + 30'000;
    while (reflector.stats().watches <= i || cluster_.open_watches() == 0) {
      ASSERT_LT(base::SystemClock().MonotonicMs(), until_ms) << "no watch " << i + 1;
      std::this_thread::yield();
    }
    // Most streams end at their time limit, as every few minutes in a cluster; some are reset.
    if (i % 10 == 0)
      cluster_.BreakStreams();
    else
      cluster_.EndStreams();
  }
  EXPECT_TRUE(Eventually([&] { return Equal() && cluster_.open_watches() == 1; }));
  EXPECT_EQ(reflector.stats().lists, 1);
  EXPECT_GE(reflector.stats().watches, 1000);
}

TEST_F(ReflectorTest, StopWaitsForARunningCallback) {
  std::latch inside(1), go_on(1);
  std::atomic<int> told = 0;
  std::atomic<bool> finished = false, waited = false;
  ObjectStore store;
  Reflector reflector(client_, store, Options(), [&](const Change&, bool) {
    if (++told > 1) return;
    inside.count_down();
    go_on.wait();
    finished = true;
  });
  reflector.Start();
  ASSERT_TRUE(Eventually([&] { return cluster_.open_watches() == 1; }));
  Put("a");
  Put("b");
  inside.wait();
  std::atomic<bool> stopped = false;
  std::jthread stopping([&] {
    reflector.Stop();
    waited = finished.load();
    stopped = true;
  });
  go_on.count_down();
  EXPECT_TRUE(Eventually([&] { return stopped.load(); }));
  EXPECT_TRUE(waited);
  const int before = told;
  Put("c");
  EXPECT_EQ(told, before);
  EXPECT_EQ(cluster_.open_watches(), 0u);
}

TEST_F(ReflectorTest, StopsWhileItListsOpensAndPauses) {
  for (int i = 0; i < 100; ++i) {
    ObjectStore store;
    Reflector reflector(client_, store, Options(), [](const Change&, bool) {});
    if (i % 3 == 1) cluster_.Inject({"LIST", "", 500});
    if (i % 3 == 2) cluster_.Inject({"WATCH", "", 0});
    cluster_.ForgetCalls();
    reflector.Start();
    const size_t calls = static_cast<size_t>(i % 4);  // 0: at once
    ASSERT_TRUE(Eventually([&] { return cluster_.calls().size() >= std::min<size_t>(calls, 2); }));
    reflector.Stop();
    cluster_.ClearFaults();
    EXPECT_EQ(cluster_.open_watches(), 0u);
  }
}

TEST_F(ReflectorTest, ReopenedStreamEndsAFailure) {
  Put("a");
  Start();
  cluster_.Inject({"", "configmaps", 0, 0, false, 1'000'000});
  cluster_.BreakStreams();
  ASSERT_TRUE(Eventually([&] { return reflector_.stats().failing_since_ms > 0; }));
  cluster_.ClearFaults();
  // No object changes, and no bookmark arrives.
  EXPECT_TRUE(Eventually([&] { return cluster_.open_watches() == 1; }));
  EXPECT_TRUE(Eventually([&] { return reflector_.stats().failing_since_ms == 0; }));
  EXPECT_EQ(reflector_.stats().last_error, "");
}

TEST_F(ReflectorTest, StreamThatBreaksAtOnceEndsNoFailure) {
  Put("a");
  Start();
  cluster_.Inject({"", "configmaps", 0, 0, false, 1'000'000});
  cluster_.BreakStreams();
  ASSERT_TRUE(Eventually([&] { return reflector_.stats().failing_since_ms > 0; }));
  const int64_t since_ms = reflector_.stats().failing_since_ms;
  for (int i = 0; i < 3; ++i) {
    cluster_.ClearFaults();
    ASSERT_TRUE(Eventually([&] { return reflector_.stats().failing_since_ms == 0; }));
    cluster_.Inject({"", "configmaps", 0, 0, false, 1'000'000});
    cluster_.BreakStreams();
    EXPECT_TRUE(Eventually([&] { return reflector_.stats().failing_since_ms == since_ms; }));
  }
}

}  // namespace
}  // namespace kube
