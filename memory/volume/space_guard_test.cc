// The guard on the real volume of the scratch directory, with limits relative to what is free
// there.
#include "memory/volume/space_guard.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/process/file.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

constexpr int64_t kBallast = 1 << 20;
constexpr int64_t kFarTooMuch = int64_t{1} << 50;

class SpaceGuardTest : public ::testing::Test {
 protected:
  bool BallastIsThere() const {
    struct stat facts {};
    return stat(scratch_.File("ballast").c_str(), &facts) == 0 && facts.st_blocks * 512 >= kBallast;
  }
  testing::TemporaryDirectory scratch_;
  ::testing::FakeClock clock_{kMidnight};
};

TEST_F(SpaceGuardTest, BallastHasBlocksAndSurvivesRestart) {
  SpaceGuard guard(scratch_.path(), {kBallast, 0}, clock_);
  EXPECT_TRUE(BallastIsThere());
  SpaceGuard next(scratch_.path(), {kBallast, 0}, clock_);
  EXPECT_EQ(next.BallastBytes(), kBallast);
  SpaceGuard none(scratch_.path(), {0, 0}, clock_);
  EXPECT_FALSE(BallastIsThere());
}

TEST_F(SpaceGuardTest, LinkIsReplacedAndNotFollowed) {
  const std::string theirs = scratch_.File("theirs");
  ASSERT_TRUE(base::ReplaceFile(theirs, "kept"));
  ASSERT_EQ(symlink(theirs.c_str(), scratch_.File("ballast").c_str()), 0);
  SpaceGuard guard(scratch_.path(), {kBallast, 0}, clock_);
  EXPECT_EQ(base::ReadFile(theirs).value_or(""), "kept");
  struct stat facts {};
  ASSERT_EQ(lstat(scratch_.File("ballast").c_str(), &facts), 0);
  EXPECT_TRUE(S_ISREG(facts.st_mode));
  guard.GiveUp();
  std::filesystem::create_symlink(theirs, scratch_.File("ballast"));
  (void)guard.Admit(0);
  EXPECT_EQ(base::ReadFile(theirs).value_or(""), "kept") << "a link that came later";
}

TEST_F(SpaceGuardTest, FullVolumeReleasesBallastUntilSpaceReturns) {
  SpaceGuard guard(scratch_.path(), {kBallast, 0}, clock_);
  EXPECT_TRUE(guard.Admit(0));
  guard.GiveUp();
  EXPECT_FALSE(BallastIsThere());
  EXPECT_TRUE(guard.Admit(0));  // the volume of this test has room
  EXPECT_TRUE(BallastIsThere());
}

TEST_F(SpaceGuardTest, LowSpaceIsRefusedUnlessFileHasFreePages) {
  SpaceGuard guard(scratch_.path(), {0, kFarTooMuch}, clock_);
  auto refused = guard.Admit(0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
  EXPECT_NE(refused.error().message.find("delete memories"), std::string::npos);
  EXPECT_TRUE(guard.Admit(kFarTooMuch));
}

TEST_F(SpaceGuardTest, StaysFullUntilBallastAndWritesFit) {
  SpaceGuard guard(scratch_.path(), {kBallast, kFarTooMuch}, clock_);
  guard.GiveUp();
  EXPECT_FALSE(guard.Admit(kFarTooMuch - guard.FreeBytes()));  // room for writes, not for both
  clock_.Advance(1000);
  EXPECT_TRUE(guard.Admit(kFarTooMuch));
}

}  // namespace
}  // namespace memory
