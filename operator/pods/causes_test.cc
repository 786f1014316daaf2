// The suspects for a missing pod, and the Event that counts.
#include "operator/pods/causes.h"

#include <gtest/gtest.h>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kNow = 1'767'323'045'000;

Json OwnerNotReadyFor(int64_t ms) {
  return {{"status",
           {{"conditions",
             {{{"type", "Ready"},
               {"status", "False"},
               {"lastTransitionTime", base::FormatTime(kNow - ms)}}}}}}};
}

Json ObjectOf(const char* kind, const char* name, int64_t age_ms = 600'000) {
  return {{"kind", kind},
          {"metadata",
           {{"name", name},
            {"uid", std::string("uid-") + name},
            {"creationTimestamp", base::FormatTime(kNow - age_ms)}}}};
}

Json PodOf(const Json& status) {
  Json pod = ObjectOf("Pod", "a-0");
  pod["status"] = status;
  return pod;
}

std::string Kinds(const Suspicion& suspicion) {
  std::string kinds;
  for (const Suspect& suspect : suspicion.suspects) kinds += suspect.kind + " ";
  return kinds;
}

TEST(Causes, EachPossibleObjectIsASuspect) {
  const Json owner = OwnerNotReadyFor(60'000), set = ObjectOf("StatefulSet", "a"),
             job = ObjectOf("Job", "r");
  const Json starting = PodOf({{"phase", "Pending"}}),
             unscheduled = PodOf(Json::parse(R"({"phase": "Pending", "conditions": [
                 {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]})")),
             ready = PodOf(Json::parse(
                 R"({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})"));
  Json claim = ObjectOf("PersistentVolumeClaim", "data-a-0"), bound = claim;
  claim["status"]["phase"] = "Pending";
  bound["status"]["phase"] = "Bound";
  Json leaving = starting;
  leaving["metadata"]["deletionTimestamp"] = "2026-01-02T03:04:05Z";
  auto look = [&](const Json* workload, const std::vector<Json>& pods,
                  const std::optional<Json>& volume) {
    return Kinds(SuspicionOf(owner, workload, pods, volume, kNow));
  };
  EXPECT_EQ(look(&set, {}, {}), "StatefulSet ");
  EXPECT_EQ(look(&job, {}, {}), "Job ");
  EXPECT_EQ(look(&set, {starting}, bound), "Pod ");
  EXPECT_EQ(look(&set, {unscheduled}, claim), "PersistentVolumeClaim ");
  EXPECT_EQ(look(&set, {unscheduled}, bound), "") << "the pod's own condition says why";
  EXPECT_EQ(look(&set, {starting}, claim), "PersistentVolumeClaim Pod ");
  EXPECT_EQ(look(&set, {ready}, claim), "");
  EXPECT_EQ(look(&set, {leaving}, bound), "");
  EXPECT_EQ(look(nullptr, {}, {}), "");
}

TEST(Causes, NewObjectIsNotReadAndOldOneLessOften) {
  auto look = [](int64_t not_ready_ms, int64_t age_ms) {
    const Json set = ObjectOf("StatefulSet", "a", age_ms);
    return SuspicionOf(OwnerNotReadyFor(not_ready_ms), &set, {}, {}, kNow);
  };
  EXPECT_TRUE(look(0, 0).suspects.empty());
  EXPECT_GT(look(0, 0).look_again_ms, 0);
  EXPECT_TRUE(look(3'600'000, 1'000).suspects.empty()) << "a new Job of a run that waited long";
  EXPECT_TRUE(look(1'000, 3'600'000).suspects.empty()) << "its pod was deleted just now";
  EXPECT_EQ(look(4'000, 3'600'000).suspects.size(), 1u);
  EXPECT_LT(look(4'000, 3'600'000).look_again_ms, look(80'000, 3'600'000).look_again_ms);
  EXPECT_EQ(look(86'400'000, 86'400'000).look_again_ms, 60'000);
}

Json EventOf(const char* type, const char* reason, const char* note, int64_t age_ms,
             const char* uid = "uid-a") {
  return {{"type", type},
          {"reason", reason},
          {"note", note},
          {"regarding", {{"uid", uid}}},
          {"deprecatedLastTimestamp", base::FormatTime(kNow - age_ms)}};
}

TEST(Causes, NewestWarningSinceAbsenceWins) {
  const Suspect set{"StatefulSet", "a", "uid-a", kNow - 60'000};
  const Json old = EventOf("Warning", "FailedCreate", "of the last absence", 120'000),
             other = EventOf("Warning", "FailedCreate", "of another object", 1'000, "uid-b"),
             normal = EventOf("Normal", "SuccessfulCreate", "fine", 1'000),
             earlier = EventOf("Warning", "FailedCreate", "the first", 50'000),
             newest = EventOf("Warning", "FailedCreate", "the last", 10'000);
  EXPECT_FALSE(CauseOf(set, {}));
  EXPECT_FALSE(CauseOf(set, {old, other, normal}));
  for (const std::vector<Json>& events :
       {std::vector<Json>{old, earlier, newest, normal, other}, {newest, earlier, old}}) {
    const auto cause = CauseOf(set, events);
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->kind, "StatefulSet");
    EXPECT_EQ(cause->reason, "FailedCreate");
    EXPECT_EQ(cause->message, "StatefulSet a: FailedCreate: the last");
  }
  Json repeated = old;  // a series counts by its last time, an Event of the new API by eventTime
  repeated["series"]["lastObservedTime"] = "2026-01-02T03:04:00.000000Z";
  EXPECT_TRUE(CauseOf(set, {repeated}));
  repeated = old;
  repeated["eventTime"] = "2026-01-02T03:04:00.000000Z";
  EXPECT_TRUE(CauseOf(set, {repeated}));
}

TEST(Causes, MessageIsOneBoundedLine) {
  const std::string long_words = "a\n\tb\xff" + std::string(100'000, 'x');
  const auto cause = CauseOf({"Job", "r", "uid-a", kNow},
                             {EventOf("Warning", "FailedCreate", long_words.c_str(), 0)});
  ASSERT_TRUE(cause);
  EXPECT_LT(cause->message.size(), 1'200u);
  EXPECT_TRUE(base::IsUtf8(cause->message));
  EXPECT_NE(cause->message.find(": a b"), std::string::npos) << cause->message;
}

TEST(Causes, MalformedEventsAreIgnored) {
  const Suspect set{"StatefulSet", "a", "uid-a", kNow};
  for (const char* odd : {"null", "7", "[]", "{}", R"({"type": "Warning"})",
                          R"({"type": 7, "regarding": [], "note": {}})"})
    EXPECT_FALSE(CauseOf(set, {Json::parse(odd)})) << odd;
  Json bare = {{"type", "Warning"},
               {"regarding", {{"uid", "uid-a"}}},
               {"eventTime", base::FormatTime(kNow)}};
  EXPECT_EQ(CauseOf(set, {bare})->reason, "Failed");
}

TEST(Causes, ReasonOfThePodWins) {
  const std::vector<Cause> causes = {{"StatefulSet", "FailedCreate", "quota"}};
  EXPECT_EQ(NotReady("Progressing", "m", causes).reason, "FailedCreate");
  EXPECT_EQ(NotReady("Unschedulable", "m", causes).message, "quota");
  EXPECT_EQ(NotReady("ImagePullBackOff", "m", causes).reason, "ImagePullBackOff");
  EXPECT_EQ(NotReady("Progressing", "m", {}).message, "m");
}

}  // namespace
}  // namespace controller
