// Streamed lists: their changes, broken streams, and servers without streamed lists.
#include "lib/kube/cache/reflector_fixture.h"

namespace kube {
namespace {

class StreamedListTest : public ReflectorTest {
 protected:
  StreamedListTest() {
    cluster_.StreamLists(true);
    for (const char* name : {"a", "b", "c"}) Put(name);
  }
  static ReflectorOptions Streaming() {
    ReflectorOptions options = Options();
    options.streams_lists = true;
    return options;
  }
  void StartStreaming() {
    streaming_.Start();
    ASSERT_TRUE(Eventually([&] { return streaming_.synced() && cluster_.open_watches() == 1; }));
  }
  // The numbers of requests so far for a streamed list and for pages.
  std::pair<int, int> Asked() const {
    std::pair<int, int> asked;
    for (const auto& call : cluster_.calls()) {
      asked.first += call.query.contains("sendInitialEvents");
      asked.second += call.verb == "LIST";
    }
    return asked;
  }
  using Counts = std::pair<int, int>;

  Reflector streaming_{client_, store_, Streaming(), OnChange()};
};

TEST_F(StreamedListTest, BeginsTheWatch) {
  StartStreaming();
  EXPECT_EQ(Reported(), "+a! +b! +c! ");
  Put("b", "2");
  Remove("c");
  std::string reported;
  EXPECT_TRUE(Eventually([&] { return (reported += Reported()).size() >= 6; }));
  EXPECT_EQ(reported, "~b -c ");
  EXPECT_TRUE(Equal());
  EXPECT_EQ(Asked(), Counts(1, 0));
  EXPECT_EQ(streaming_.stats().streamed_lists, 1);
  EXPECT_EQ(streaming_.stats().watches, 1);
}

TEST_F(StreamedListTest, GoneCausesOneRelistOfChanges) {
  StartStreaming();
  Reported();
  cluster_.HoldEvents(true);
  Put("b", "2");
  Remove("a");
  cluster_.Compact();
  cluster_.HoldEvents(false);
  std::string reported;  // a change is reported after the store has it
  EXPECT_TRUE(Eventually([&] { return (reported += Reported()).size() >= 8; }));
  EXPECT_EQ(reported, "-a! ~b! ");
  EXPECT_TRUE(Equal());
  EXPECT_EQ(Asked(), Counts(2, 0));
}

TEST_F(StreamedListTest, IncludesChangesDuringTheList) {
  cluster_.HoldEvents(true);
  streaming_.Start();
  ASSERT_TRUE(Eventually([&] { return cluster_.open_watches() == 1; }));
  Put("a", "2");
  Remove("b");
  Put("d");
  EXPECT_FALSE(streaming_.synced());
  EXPECT_EQ(store_.objects(), 0u);
  cluster_.HoldEvents(false);
  EXPECT_TRUE(Eventually([&] { return streaming_.synced(); }));
  EXPECT_TRUE(Equal());
  EXPECT_EQ(Reported(), "+a! +c! +d! ");
}

TEST_F(StreamedListTest, UnsupportedServerIsProbedOnce) {
  cluster_.StreamLists(false);
  StartStreaming();
  EXPECT_EQ(Reported(), "+a! +b! +c! ");
  EXPECT_EQ(streaming_.stats().failing_since_ms, 0);
  EXPECT_TRUE(streaming_.stats().watch_ends.empty());
  cluster_.ExpireStreams();
  EXPECT_TRUE(Eventually([&] { return streaming_.stats().lists == 2; }));
  EXPECT_EQ(Asked().first, 1);
}

TEST_F(StreamedListTest, BrokenListFallsBackToPagesOnce) {
  cluster_.HoldEvents(true);
  streaming_.Start();
  ASSERT_TRUE(Eventually([&] { return cluster_.open_watches() == 1; }));
  cluster_.BreakStreams();
  ASSERT_TRUE(Eventually([&] { return streaming_.synced(); }));
  EXPECT_TRUE(Equal());
  EXPECT_EQ(Asked(), Counts(1, 2));
  ASSERT_TRUE(Eventually([&] { return cluster_.open_watches() == 1; }));
  cluster_.HoldEvents(false);
  cluster_.ExpireStreams();
  EXPECT_TRUE(Eventually([&] { return streaming_.stats().streamed_lists == 1; }));
  EXPECT_EQ(Asked(), Counts(2, 2));
}

TEST_F(StreamedListTest, MissingRightIsReportedAtOnce) {
  cluster_.Inject({"", "configmaps", 403, 0, false, 1'000'000});
  streaming_.Start();
  EXPECT_TRUE(Eventually([&] { return streaming_.stats().denied; }));
  EXPECT_FALSE(streaming_.synced());
  cluster_.ClearFaults();
  EXPECT_TRUE(Eventually([&] { return streaming_.synced() && Equal(); }));
}

TEST_F(StreamedListTest, RefusingServerIsNotFlooded) {
  cluster_.Inject({"", "", 500, 0, false, 1'000'000});
  streaming_.Start();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the time that is measured
  EXPECT_LE(cluster_.calls().size(), 50u);
  EXPECT_FALSE(streaming_.synced());
}

TEST_F(StreamedListTest, StopEndsAList) {
  cluster_.HoldEvents(true);
  streaming_.Start();
  ASSERT_TRUE(Eventually([&] { return cluster_.open_watches() == 1; }));
  streaming_.Stop();
  EXPECT_EQ(cluster_.open_watches(), 0u);
  EXPECT_EQ(Reported(), "");
}

}  // namespace
}  // namespace kube
