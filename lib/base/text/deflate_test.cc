// Tests the round trip, and that damage and a wrong size are detected.
#include "lib/base/text/deflate.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Deflate, RoundTripsAndIsShorter) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(100'000, 'x'), std::string("a\0b", 3)}) {
    const std::string deflated = Deflate(text);
    EXPECT_EQ(Inflate(deflated, text.size()), text);
  }
  EXPECT_LT(Deflate(std::string(100'000, 'x')).size(), 1000u);
}

TEST(Deflate, DamageAndWrongSizeAreDetected) {
  std::string deflated = Deflate(std::string(1000, 'x') + "end");
  EXPECT_EQ(Inflate(deflated, 1002), std::nullopt);
  EXPECT_EQ(Inflate(deflated, 1004), std::nullopt);
  EXPECT_EQ(Inflate(deflated.substr(0, deflated.size() - 1), 1003), std::nullopt);
  deflated[deflated.size() / 2] = static_cast<char>(deflated[deflated.size() / 2] ^ 1);
  EXPECT_EQ(Inflate(deflated, 1003), std::nullopt);
  EXPECT_EQ(Inflate("", 0), std::nullopt);
}

TEST(Deflate, ATextOfUnknownSizeIsInflatedUpToALimit) {
  for (const size_t size : {0u, 1u, 16'383u, 16'384u, 16'385u, 100'000u}) {
    const std::string text(size, 'x'), deflated = Deflate(text);
    EXPECT_EQ(InflateAtMost(deflated + "behind", size), text);
    EXPECT_EQ(InflateAtMost(deflated, 1'000'000), text);
    if (size > 0) {
      EXPECT_EQ(InflateAtMost(deflated, size - 1), std::nullopt);
    }
    EXPECT_EQ(InflateAtMost(deflated.substr(0, deflated.size() - 1), size), std::nullopt);
  }
  EXPECT_EQ(InflateAtMost(Deflate(std::string(100 << 20, 'x')), 1 << 20), std::nullopt);
  EXPECT_EQ(InflateAtMost("", 10), std::nullopt);
  EXPECT_EQ(InflateAtMost("no zlib", 10), std::nullopt);
}

}  // namespace
}  // namespace base
