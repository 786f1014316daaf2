// The weight of stored JSON, and that overload is not read as damage.
#include "lib/base/json/stored.h"

#include <gtest/gtest.h>

#include "lib/base/limits/byte_budget.h"

namespace base {
namespace {

std::string Repeated(const std::string& one, int times) {
  std::string text = "[";
  for (int i = 0; i < times; ++i) text += (i > 0 ? "," : "") + one;
  return text + "]";
}

TEST(StoredJson, SmallValuesWeighMoreThanText) {
  for (const char* one : {"{}", "[]", "1", "\"\"", "null", R"({"a":{}})", R"(["\\\"", [1]])"}) {
    const std::string text = Repeated(one, 2'000);
    const size_t by_tree = WeightOf(*ParseJson(text)), by_text = WeightOfText(text);
    EXPECT_GE(by_tree, 2'000u * 56) << one;
    EXPECT_GE(by_text, by_tree) << one;
    EXPECT_LE(by_text, 3 * by_tree) << one;
  }
}

TEST(StoredJson, LongTextWeighsItsBytes) {
  for (const std::string& text : {std::string(50'000, 'x'), std::string(50'000, ',')})
    EXPECT_EQ(WeightOfText("\"" + text + "\""), text.size() + 2);
}

TEST(StoredJson, TooManyLevelsAreRefusedWithFieldCountAndLimit) {
  EXPECT_EQ(LevelsOf("[["), 0u);
  EXPECT_EQ(LevelsOf(*ParseJson(R"([1, {"a": [], "b": 2}])")), 3u);
  const auto nested = [](size_t levels) {
    return *ParseJson(std::string(levels, '[') + std::string(levels, ']'));
  };
  EXPECT_TRUE(CheckLevels("value", nested(kMaxStoredLevels)));
  const Status refused = CheckLevels("value", nested(kMaxStoredLevels + 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
  EXPECT_EQ(refused.error().message, "value nests 61 levels deep, the limit is 60");
  EXPECT_TRUE(CheckLevels("value", nested(63), kMaxImportedLevels));
  EXPECT_FALSE(CheckLevels("value", nested(64), kMaxImportedLevels));
}

TEST(StoredJson, OverloadIsNotDamage) {
  EXPECT_EQ(*ParseStored("{\"a\":", "damaged"), Json("damaged"));
  EXPECT_EQ(*ParseStored("{\"a\":1}", "damaged"), (Json{{"a", 1}}));
  ByteBudget budget(1 << 20);
  ByteCharge other(&budget);
  ASSERT_TRUE(other.TrySet(900'000));
  ByteCharge charge(&budget);
  const ChargeScope scope(&charge);
  const std::string text = Repeated("{}", 4'000);
  const auto refused = ParseStored(text, "damaged");
  ASSERT_FALSE(refused) << *refused;
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_NE(refused.error().message.find("memory-budget"), std::string::npos);
  other.Set(0);
  EXPECT_EQ(ParseStored(text, "damaged")->size(), 4'000u);
  EXPECT_EQ(ParseStored(Repeated("{}", 20'000), "damaged").error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace base
