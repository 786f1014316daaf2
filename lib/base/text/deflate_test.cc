// Tests the round trip, and that damage and a wrong size are detected.
#include "lib/base/text/deflate.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Deflate, ComesBackAndIsShorter) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(100'000, 'x'), std::string("a\0b", 3)}) {
    const std::string deflated = Deflate(text);
    EXPECT_EQ(Inflate(deflated, text.size()), text);
  }
  EXPECT_LT(Deflate(std::string(100'000, 'x')).size(), 1000u);
}

TEST(Deflate, DamageAndAnotherSizeAreSeen) {
  std::string deflated = Deflate(std::string(1000, 'x') + "end");
  EXPECT_EQ(Inflate(deflated, 1002), std::nullopt);
  EXPECT_EQ(Inflate(deflated, 1004), std::nullopt);
  EXPECT_EQ(Inflate(deflated.substr(0, deflated.size() - 1), 1003), std::nullopt);
  deflated[deflated.size() / 2] = static_cast<char>(deflated[deflated.size() / 2] ^ 1);
  EXPECT_EQ(Inflate(deflated, 1003), std::nullopt);
  EXPECT_EQ(Inflate("", 0), std::nullopt);
}

}  // namespace
}  // namespace base
