// Shows which Host and Origin headers the agent's listener takes.
#include "sidecar/agent_guard.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

int StatusFor(std::optional<std::string> host, std::optional<std::string> origin = std::nullopt) {
  http::Request request;
  if (host) request.headers.Set("Host", *host);
  if (origin) request.headers.Set("Origin", *origin);
  auto refusal = RefuseStranger(request, {"http://localhost:3000"});
  return refusal ? refusal->status : 200;
}

TEST(AgentGuard, OnlyLoopbackHostsArePassed) {
  for (const char* host : {"localhost", "localhost:7437", "127.0.0.1", "127.0.0.1:1", "[::1]:7437",
                           "[::1]", "LOCALHOST:7437"}) {
    EXPECT_EQ(StatusFor(host), 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "",
                           "localhost:", "localhost:x", "localhost:123456", "127.0.0.2", "::1",
                           "evil@localhost", "localhost@evil"}) {
    EXPECT_EQ(StatusFor(host), 421) << host;
  }
  EXPECT_EQ(StatusFor(std::nullopt), 421);
}

TEST(AgentGuard, OriginsMustBeListed) {
  EXPECT_EQ(StatusFor("localhost", "http://localhost:3000"), 200);
  for (const char* origin : {"http://evil.example", "null", "", "http://localhost:3001"}) {
    EXPECT_EQ(StatusFor("localhost", origin), 403) << origin;
  }
}

}  // namespace
}  // namespace sidecar
