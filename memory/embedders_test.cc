// What the settings make of a table that cannot be used: words alone, and no error.
#include "memory/embedders.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lib/testing/temporary_directory.h"

namespace memory {
namespace {

TEST(Embedders, AreNoneWithoutATable) {
  const testing::TemporaryDirectory scratch;
  EXPECT_EQ(MakeEmbedder({false, {}, scratch.File("none")}), nullptr);
  EXPECT_EQ(MakeEmbedder({true, {}, scratch.File("none")}), nullptr);
  EXPECT_EQ(MakeEmbedder({true, {}, scratch.path()}), nullptr);
  std::ofstream(scratch.File("garbage")) << std::string(10'000, 'x');
  EXPECT_EQ(MakeEmbedder({true, {}, scratch.File("garbage")}), nullptr);
}

}  // namespace
}  // namespace memory
