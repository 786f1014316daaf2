// Reading of Events: by the UID of one object, kept for a while, and without harm if denied.
#include "operator/reconcile/event_reader.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_clock.h"
#include "lib/testing/fake_cluster.h"

namespace controller {
namespace {

using base::Json;

class EventReaderTest : public testing::Test {
 protected:
  void Say(const char* name, const char* uid, const char* words) {
    cluster_.Put({{"apiVersion", "events.k8s.io/v1"},
                  {"kind", "Event"},
                  {"metadata", {{"name", name}, {"namespace", "n"}}},
                  {"type", "Warning"},
                  {"reason", "FailedCreate"},
                  {"note", words},
                  {"regarding", {{"uid", uid}}},
                  {"eventTime", base::FormatTime(clock_.NowMs())}});
  }
  std::string Read(std::vector<Suspect> suspects) {
    std::string all;
    for (const Cause& cause : reader_.CausesOf("n", suspects, stop_.get_token()))
      all += cause.message + "|";
    return all;
  }
  std::string Read() { return Read({{"StatefulSet", "a", "uid-a", since_ms_}}); }
  size_t Lists() const { return cluster_.calls().size(); }

  testing::FakeClock clock_;
  testing::FakeCluster cluster_;
  kube::KubeClient client_{cluster_};
  EventReader reader_{client_, clock_};
  std::stop_source stop_;
  const int64_t since_ms_ = clock_.NowMs();
};

TEST_F(EventReaderTest, CachesTheEventsOfAnObject) {
  Say("one", "uid-a", "quota");
  Say("two", "uid-b", "of another");
  EXPECT_EQ(Read(), "StatefulSet a: FailedCreate: quota|");
  EXPECT_EQ(Lists(), 1u);
  EXPECT_EQ(cluster_.calls()[0].query.at("fieldSelector"), "regarding.uid=uid-a,type=Warning");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Read(), "StatefulSet a: FailedCreate: quota|");
  EXPECT_EQ(Lists(), 1u) << "every other change asks the reconciler, too";
  clock_.Advance(3'000);
  Say("three", "uid-a", "limits");
  EXPECT_EQ(Read(), "StatefulSet a: FailedCreate: limits|");
  EXPECT_EQ(Lists(), 2u);
}

TEST_F(EventReaderTest, SpacesListsOfManyObjectsAfterABurst) {
  for (int i = 0; i < 1'000; ++i)
    Read({{"StatefulSet", "a", "uid-" + std::to_string(i), since_ms_}});
  EXPECT_EQ(Lists(), size_t{EventReader::kListsAtOnce}) << "no time passed";
  clock_.Advance(60'000 / EventReader::kListsPerMinute);
  for (int i = 0; i < 1'000; ++i)
    Read({{"StatefulSet", "a", "uid-" + std::to_string(i), since_ms_}});
  EXPECT_EQ(Lists(), size_t{EventReader::kListsAtOnce + 1});
}

TEST_F(EventReaderTest, ForbiddenListIsNotRepeatedSoon) {
  cluster_.Inject({"LIST", "/events", 403, 0, false, 1});
  EXPECT_EQ(Read(), "");
  Say("one", "uid-a", "quota");
  clock_.Advance(60'000);
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(Lists(), 1u);
  clock_.Advance(300'000);
  EXPECT_EQ(Read(), "StatefulSet a: FailedCreate: quota|");
}

TEST_F(EventReaderTest, ReadsNothingAfterStop) {
  stop_.request_stop();
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(Lists(), 0u);
}

}  // namespace
}  // namespace controller
