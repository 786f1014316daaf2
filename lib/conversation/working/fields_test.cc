// Tests which writes are accepted, and how they are merged.
#include "lib/conversation/working/fields.h"

#include <gtest/gtest.h>

namespace conversation {
namespace {

using base::Json;

base::Result<FieldChanges> Decoded(const char* body) {
  return DecodeFieldChanges(*base::ParseJson(body));
}

TEST(WorkingFields, MergesByNameAndKeepsNull) {
  const auto merged =
      MergeWorkingFields({{"a", 1}, {"b", {{"x", 1}}}}, {{"b", {{"y", 2}}}, {"c", nullptr}});
  ASSERT_TRUE(merged);
  EXPECT_EQ(*merged, (Json{{"a", 1}, {"b", {{"y", 2}}}, {"c", nullptr}}));
}

TEST(WorkingFields, LimitCountsNamesAndValues) {
  const size_t room = kMaxWorkingBytes - 4 - 2;  // the name, and the quotes of a string
  const auto full = MergeWorkingFields(Json::object(), {{"name", std::string(room, 'x')}});
  ASSERT_TRUE(full);
  EXPECT_EQ(BytesOfFields(*full), kMaxWorkingBytes);
  const auto over = MergeWorkingFields(*full, {{"n", 1}});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, base::Code::kTooLarge);
  EXPECT_NE(over.error().message.find("65538"), std::string::npos);
  EXPECT_NE(over.error().message.find("65536"), std::string::npos);
  EXPECT_TRUE(MergeWorkingFields(*full, {{"name", ""}, {"n", 1}})) << "smaller by the same merge";
}

TEST(WorkingFields, TypedFieldsHaveTheirTypes) {
  EXPECT_TRUE(Decoded(R"({"fields": {"scratchpad": "s", "entities": [{"type": "Well"}]}})"));
  EXPECT_TRUE(Decoded(R"({"fields": {"scratchpad": null, "entities": []}})"));
  for (const char* bad :
       {R"({"fields": {"scratchpad": 1}})", R"({"fields": {"entities": {}}})",
        R"({"fields": {"entities": ["x"]}})", R"({"fields": []})", R"({})", R"([])",
        R"({"fields": {}, "ttl_seconds": 0})", R"({"fields": {}, "ttl_seconds": 31536001})",
        R"({"fields": {}, "ttl_seconds": "60"})", R"({"fields": {}, "ttl_seconds": 1.5})"}) {
    const auto refused = Decoded(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, base::Code::kInvalid) << bad;
  }
  const auto held = Decoded(R"({"fields": {}, "ttl_seconds": 31536000, "unknown": 1})");
  ASSERT_TRUE(held);
  EXPECT_EQ(held->ttl_ms, 31'536'000'000);
}

TEST(WorkingFields, NamesToDeleteComeFromBodyAndQuery) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(*DecodeFieldNames("", {}), std::nullopt);
  EXPECT_EQ(*DecodeFieldNames("{}", {}), std::nullopt);
  EXPECT_EQ(*DecodeFieldNames(R"({"fields": []})", {}), Names());
  EXPECT_EQ(*DecodeFieldNames(R"({"fields": ["a", "b,c"]})", {}), (Names{"a", "b,c"}));
  EXPECT_EQ(*DecodeFieldNames("", "a,b"), (Names{"a", "b"}));
  EXPECT_EQ(*DecodeFieldNames(R"({"fields": ["c"]})", "a"), (Names{"a", "c"}));
  EXPECT_FALSE(DecodeFieldNames("", "")) << "an empty list is not everything";
  EXPECT_FALSE(DecodeFieldNames("", ",,"));
  EXPECT_FALSE(DecodeFieldNames(R"({"fields": "a"})", {}));
  EXPECT_FALSE(DecodeFieldNames(R"({"fields": [1]})", {}));
  EXPECT_FALSE(DecodeFieldNames("[]", {}));
}

TEST(WorkingFields, IfMatchHasAVersion) {
  EXPECT_EQ(*DecodeIfMatch({}), std::nullopt);
  EXPECT_EQ(*DecodeIfMatch("*"), std::nullopt);
  EXPECT_EQ(*DecodeIfMatch("\"7\""), 7);
  EXPECT_EQ(*DecodeIfMatch("7"), 7);
  for (const char* bad : {"", "\"", "\"\"", "\"x\"", "-1", "7x", "W/\"7\"", "99999999999999999999"})
    EXPECT_FALSE(DecodeIfMatch(bad)) << bad;
}

}  // namespace
}  // namespace conversation
