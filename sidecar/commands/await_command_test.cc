// Shows the exit codes of `await` for a ready sidecar, an unready one, and none.
#include <gtest/gtest.h>

#include <sstream>

#include "sidecar/commands/commands.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

class AwaitTest : public SidecarTest {
 protected:
  int Await(const std::string& within) {
    said_.str("");
    return RunAwait({"--url=http://" + running_->admin_address(), "--within=" + within}, said_);
  }
  std::ostringstream said_;
};

TEST_F(AwaitTest, EndsWhenTheSidecarIsReady) { EXPECT_EQ(Await("20s"), 0) << said_.str(); }

TEST_F(AwaitTest, NamesTheReasonOfUnreadiness) {
  const std::string url = "--url=http://" + running_->admin_address();
  running_->Stop();
  EXPECT_EQ(RunAwait({url, "--within=200ms"}, said_), 1);
  EXPECT_NE(said_.str().find("is not ready after 200 ms"), std::string::npos) << said_.str();
  EXPECT_EQ(RunAwait({"--within=soon"}, said_), 64);
}

}  // namespace
}  // namespace sidecar
