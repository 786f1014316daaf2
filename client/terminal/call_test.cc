// Tables on a terminal.
#include "client/terminal/call.h"

#include <gtest/gtest.h>

namespace client {
namespace {

TEST(TerminalText, TablesFitTheWidth) {
  const Table table{{"A", "B"}, {{"日本", "a long text that does not fit"}}};
  EXPECT_EQ(table.Render({true, false, 16}), "A     B\n日本  a long te…\n");
  EXPECT_EQ(FitTo("short", 10), "short");
}

}  // namespace
}  // namespace client
