// Shows that quiet time starts at the end of an answer, is 0 during a request, and goes on while
// others ask for health.
#include "sidecar/routes/activity.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_clock.h"
#include "sidecar/sidecar_fixture.h"

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

using ActivityRoutes = SidecarTest;

TEST_F(ActivityRoutes, QuestionsAboutHealthAreNoUse) {
  EXPECT_EQ(Ask("GET", "/v1/status").status, 200);
  EXPECT_TRUE(Until([&] {
    Ask("GET", "/health");
    return AskAdmin("/v1/policy").body["quiet_ms"] >= 300;
  })) << "each question about health counts as the agent's";
}

}  // namespace
}  // namespace sidecar
