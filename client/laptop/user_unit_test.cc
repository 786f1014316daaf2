// The text of the systemd unit.
#include "client/laptop/user_unit.h"

#include <gtest/gtest.h>

namespace client {
namespace {

TEST(UserUnitTest, WordsWithSignsOfSystemdArePlain) {
  const std::string unit = UserUnit("/opt/100%/agent-memory", "/home/a \"b\"/$x");
  EXPECT_NE(unit.find(R"(ExecStart="/opt/100%%/agent-memory" up --home "/home/a \"b\"/$$x")"),
            std::string::npos)
      << unit;
}

}  // namespace
}  // namespace client
