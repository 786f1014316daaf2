// Tests of NoticesOf: which changes of conditions emit an Event.
#include "operator/plan/conditions.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

using base::Json;

Json StatusOf(const char* status, const char* reason) {
  return {
      {"conditions",
       {{{"type", "MemoryReachable"}, {"status", status}, {"reason", reason}, {"message", "m"}}}}};
}

std::string EventsOf(const Json& before, const Json& after) {
  std::string events;
  for (const Notice& notice : NoticesOf(before, after))
    events += (notice.warning ? "Warning " : "Normal ") + notice.reason + "\n";
  return events;
}

TEST(NoticesOf, FaultAndRecoveryAreOneEventEach) {
  const Json good = StatusOf("True", "Answers"), bad = StatusOf("False", "NoAnswer");
  EXPECT_EQ(EventsOf(good, bad), "Warning NoAnswer\n");
  EXPECT_EQ(EventsOf(bad, bad), "");
  EXPECT_EQ(EventsOf(bad, good), "Normal Answers\n");
}

TEST(NoticesOf, WaitingIsNeitherAFaultNorItsEnd) {
  const Json good = StatusOf("True", "Answers");
  for (const char* reason : {"Progressing", "UpdatePending"}) {
    const Json waits = StatusOf("False", reason);
    EXPECT_EQ(EventsOf(Json(), waits), "") << reason;
    EXPECT_EQ(EventsOf(waits, good), "") << reason;
  }
  EXPECT_EQ(EventsOf(Json(), good), "");
}

// PolicyInSync is Pending, without an Event, from each change of the policy until it is in force.
TEST(NoticesOf, OnlyTheEndOfPendingIsAnEvent) {
  const Json good = StatusOf("True", "InSync"), pending = StatusOf("False", "Pending");
  EXPECT_EQ(EventsOf(good, pending), "");
  EXPECT_EQ(EventsOf(pending, good), "Normal InSync\n");
}

}  // namespace
}  // namespace controller
