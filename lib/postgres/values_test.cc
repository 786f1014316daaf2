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
  EXPECT_EQ(ReadInt(kInt2, Shorts({-2})), -2);
  EXPECT_EQ(ReadInt(kInt4, Shorts({-1, -3})), -3);
  EXPECT_EQ(ReadInt(kInt8, IntParameter(INT64_MIN).bytes), INT64_MIN);
  EXPECT_EQ(ReadInt(kInt8, IntParameter(INT64_MAX).bytes), INT64_MAX);
  EXPECT_EQ(ReadInt(kBool, std::string(1, '\1')), 1);
  EXPECT_EQ(ReadReal(kFloat8, RealParameter(-0.1).bytes), -0.1);
}

TEST(Values, WholeNumericsAreIntegersIfTheyFit) {
  struct Case {
    std::string bytes;
    Kind kind;
    double value;
  };
  const Case cases[] = {
      {Shorts({0, 0, 0, 0}), Kind::kInt, 0},
      {Shorts({1, 1, 0, 0, 7}), Kind::kInt, 70000},  // trailing zeros are left out
      {Shorts({2, 1, 0x4000, 0, 1, 2}), Kind::kInt, -10002},
      {Shorts({2, 0, 0, 4, 1, 5000}), Kind::kReal, 1.5},
      {Shorts({2, 0, 0, 4, 1, 0}), Kind::kInt, 1},
      {Shorts({1, 5, 0, 0, 1}), Kind::kReal, 1e20},  // more than an int64
  };
  for (const Case& c : cases) {
    EXPECT_EQ(KindOf(kNumeric, c.bytes), c.kind) << c.value;
    if (c.kind == Kind::kInt)
      EXPECT_EQ(static_cast<double>(ReadInt(kNumeric, c.bytes)), c.value);
    else
      EXPECT_DOUBLE_EQ(ReadReal(kNumeric, c.bytes), c.value);
  }
  // 9223372036854775807 and -9223372036854775808
  EXPECT_EQ(ReadInt(kNumeric, Shorts({5, 4, 0, 0, 922, 3372, 368, 5477, 5807})), INT64_MAX);
  EXPECT_EQ(ReadInt(kNumeric, Shorts({5, 4, 0x4000, 0, 922, 3372, 368, 5477, 5808})), INT64_MIN);
  EXPECT_EQ(KindOf(kNumeric, Shorts({5, 4, 0, 0, 922, 3372, 368, 5477, 5808})), Kind::kReal);
}

}  // namespace
}  // namespace postgres
