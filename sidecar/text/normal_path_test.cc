// Shows the resolution of dots and slashes in paths.
#include "sidecar/text/normal_path.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

TEST(NormalPath, ResolvesDotsAndSlashes) {
  EXPECT_EQ(NormalPath("a/./b/../c", "/x"), "/x/a/c");
  EXPECT_EQ(NormalPath("/../../a//", "/x"), "/a");
  EXPECT_EQ(NormalPath("..", "/"), "/");
}

}  // namespace
}  // namespace sidecar
