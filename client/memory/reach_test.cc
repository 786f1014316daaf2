// Arguments for kubectl, and parsing of its output.
#include "client/memory/reach.h"

#include <gtest/gtest.h>

namespace client {
namespace {

TEST(ReachMemory, ATokenIsForTheServerBehindTheService) {
  EXPECT_EQ(AudienceOf("agents", "svc/agent-memory"), "agent-memory.agents.agent-memory");
  EXPECT_EQ(AudienceOf("agents", "service/shared"), "agent-memory.agents.shared");
  EXPECT_EQ(AudienceOf("agents", "pod/coder-0"), "");
}

TEST(ReachMemory, ForwardsByArgvAndReadsTheAddress) {
  EXPECT_EQ(ForwardedAddress("Forwarding from 127.0.0.1:41234 -> 7437"), "127.0.0.1:41234");
  EXPECT_EQ(ForwardedAddress("error: no"), "");
  const std::vector<std::string> argv = {"kubectl",          "port-forward",  "--address=127.0.0.1",
                                         "--context=a b;c",  "--namespace=n", "--",
                                         "svc/agent-memory", ":7437"};
  EXPECT_EQ(ForwardArguments("kubectl", "a b;c", "n", "svc/agent-memory"), argv);
}

}  // namespace
}  // namespace client
