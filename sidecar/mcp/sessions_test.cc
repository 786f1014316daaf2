// Shows that a session's name cannot be guessed, that the table stays small, and that idle sessions
// expire.
#include "sidecar/mcp/sessions.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/testing/fake_clock.h"

namespace sidecar {
namespace {

TEST(McpSessions, AKnownNameIsTakenUntilItEnds) {
  testing::FakeClock clock;
  McpSessions sessions(clock, {});
  const std::string name = sessions.Begin();
  EXPECT_TRUE(sessions.Touch(name));
  EXPECT_FALSE(sessions.Touch(name + "0"));
  EXPECT_FALSE(sessions.Touch(""));
  EXPECT_TRUE(sessions.End(name));
  EXPECT_FALSE(sessions.End(name));
  EXPECT_FALSE(sessions.Touch(name));
}

TEST(McpSessions, NamesAreLongVisibleAndNeverTheSame) {
  testing::FakeClock clock;
  McpSessions sessions(clock, {});
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = sessions.Begin();
    EXPECT_GE(name.size() * 4, 128u);
    EXPECT_EQ(name.find_first_not_of("0123456789abcdef"), std::string::npos);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 1000u);
}

TEST(McpSessions, TheOneThatWasSilentLongestMakesRoom) {
  testing::FakeClock clock;
  McpSessions sessions(clock, {.sessions = 3});
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    names.push_back(sessions.Begin());
    clock.Advance(10);
  }
  ASSERT_TRUE(sessions.Touch(names[0]));
  clock.Advance(10);
  names.push_back(sessions.Begin());
  EXPECT_TRUE(sessions.Touch(names[0]));
  EXPECT_FALSE(sessions.Touch(names[1]));
  EXPECT_TRUE(sessions.Touch(names[2]));
  EXPECT_TRUE(sessions.Touch(names[3]));
}

TEST(McpSessions, IdleTimeEndsASessionAndUseKeepsIt) {
  testing::FakeClock clock;
  McpSessions sessions(clock, {.idle_ms = 1000});
  const std::string used = sessions.Begin(), idle = sessions.Begin();
  clock.Advance(800);
  EXPECT_TRUE(sessions.Touch(used));
  clock.Advance(800);
  EXPECT_TRUE(sessions.Touch(used));
  EXPECT_FALSE(sessions.Touch(idle));
}

}  // namespace
}  // namespace sidecar
