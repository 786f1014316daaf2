// Shows that quiet time starts at the end of an answer, and is 0 during a request.
#include "sidecar/routes/activity.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_clock.h"

namespace sidecar {
namespace {

TEST(Activity, IsQuietFromTheEndOfAnAnswerOn) {
  testing::FakeClock clock;
  Activity activity(clock);
  clock.Advance(700);
  EXPECT_EQ(activity.QuietMs(), 700) << "since the start";
  auto routes = activity.Watched({{"GET", "/x", [&](const http::Request&) {
                                     clock.Advance(2'000);
                                     EXPECT_EQ(activity.QuietMs(), 0) << "an answer is under way";
                                     return http::EmptyResponse(204);
                                   }}});
  EXPECT_EQ(routes.at(0).handler({}).status, 204);
  EXPECT_EQ(activity.QuietMs(), 0);
  clock.Advance(1'500);
  EXPECT_EQ(activity.QuietMs(), 1'500);
}

}  // namespace
}  // namespace sidecar
