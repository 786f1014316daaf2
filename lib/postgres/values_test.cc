// Numbers of the binary format.
#include "lib/postgres/values.h"

#include <gtest/gtest.h>

namespace postgres {
namespace {

std::string Shorts(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) {
    bytes += static_cast<char>((value >> 8) & 0xFF);
    bytes += static_cast<char>(value & 0xFF);
  }
  return bytes;
}

TEST(Values, IntegersOfEachWidthKeepTheirSign) {
  EXPECT_EQ(ReadNumber(kInt2, Shorts({-2}))->whole, -2);
  EXPECT_EQ(ReadNumber(kInt4, Shorts({-1, -3}))->whole, -3);
  EXPECT_EQ(ReadNumber(kInt8, IntParameter(INT64_MIN).bytes)->whole, INT64_MIN);
  EXPECT_EQ(ReadNumber(kInt8, IntParameter(INT64_MAX).bytes)->whole, INT64_MAX);
  EXPECT_EQ(ReadNumber(kBool, std::string(1, '\1'))->whole, 1);
}

TEST(Values, RealsKeepTheirBits) {
  for (const double real : {-0.1, 1e300, 3.0}) {
    const auto number = ReadNumber(kFloat8, RealParameter(real).bytes);
    EXPECT_EQ(number->real, real);
    EXPECT_FALSE(number->whole) << "a whole real stays one";
  }
  EXPECT_EQ(ReadNumber(kFloat4, std::string("\x3f\x00\x00\x00", 4))->real, 0.5);
  EXPECT_FALSE(ReadNumber(kText, "7"));
}

TEST(Values, WholeNumericsAreIntegersIfTheyFit) {
  struct Case {
    std::string bytes;
    std::optional<int64_t> whole;
    double real;
  };
  const Case cases[] = {
      {Shorts({0, 0, 0, 0}), 0, 0},
      {Shorts({1, 1, 0, 0, 7}), 70000, 70000},  // trailing zeros are left out
      {Shorts({2, 1, 0x4000, 0, 1, 2}), -10002, -10002},
      {Shorts({2, 0, 0, 4, 1, 5000}), {}, 1.5},
      {Shorts({2, 0, 0, 4, 1, 0}), 1, 1},
      {Shorts({1, 5, 0, 0, 1}), {}, 1e20},  // more than an int64
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ReadNumber(kNumeric, c.bytes)->whole, c.whole) << c.real;
    EXPECT_DOUBLE_EQ(ReadNumber(kNumeric, c.bytes)->real, c.real);
  }
  // 9223372036854775807 and -9223372036854775808
  const auto whole = [](int sign, int last) {
    return ReadNumber(kNumeric, Shorts({5, 4, sign, 0, 922, 3372, 368, 5477, last}))->whole;
  };
  EXPECT_EQ(whole(0, 5807), INT64_MAX);
  EXPECT_EQ(whole(0x4000, 5808), INT64_MIN);
  EXPECT_FALSE(whole(0, 5808));
}

}  // namespace
}  // namespace postgres
