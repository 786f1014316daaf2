// Tests of the strict JSON reader and of YAML as kubectl reads it.
#include "lib/base/json/json.h"

#include <gtest/gtest.h>

#include "lib/base/json/yaml.h"
#include "lib/base/limits/byte_budget.h"

namespace base {
namespace {

TEST(Json, RefusesWhatStrictParsersRefuse) {
  std::string deep(65, '['), closing(65, ']');
  for (const std::string& bad :
       {std::string(), std::string("  "), std::string("{} x"), std::string("{\"a\":1,\"a\":2}"),
        std::string("\"\xFF\""), std::string("\"\\ud800\""), std::string("\"\\u0000\""),
        std::string("1e999"), std::string("NaN"), std::string("01"), std::string("[1,]"),
        std::string("{'a':1}"), std::string("// c\n1"), deep + closing, std::string("\"a\nb\""),
        std::string("{\"a\":{\"b\":[1,2"), std::string("\xEF\xBB")}) {
    auto got = ParseJson(bad);
    EXPECT_FALSE(got) << bad;
    if (!got) {
      EXPECT_EQ(got.error().code, Code::kInvalid);
    }
  }
}

TEST(Json, RefusesTextAfterTheValue) {
  using std::string_literals::operator""s;
  for (const std::string& bad :
       {"{}\0"s, "{}\0{\"a\":1}"s, "{}\0 x"s, "{\"a\":\0 1}"s, "{} {}"s, "{},"s}) {
    auto got = ParseJson(bad);
    EXPECT_FALSE(got) << bad;
  }
  EXPECT_NE(ParseJson("{}\0x"s).error().message.find("NUL at byte 3"), std::string::npos);
  EXPECT_TRUE(ParseJson(" {} \r\n"));
}

TEST(Json, ValidJsonRoundTrips) {
  for (const char* good : {"null", "{}", "[]", "\"日本 \\u0001\"",
                           "{\"a\":[1,-2,3.5,true,null,{\"b\":\"c\"}]}", "123456789012345"}) {
    auto got = ParseJson(good);
    ASSERT_TRUE(got) << good;
    EXPECT_EQ(*ParseJson(DumpJson(*got)), *got);
  }
  std::string deep(64, '['), closing(64, ']');
  EXPECT_TRUE(ParseJson(deep + closing));
}

// Small values need many times the memory of their text, which a body's size does not show.
TEST(Json, ManySmallValuesAreCharged) {
  std::string many = "[";
  for (int i = 0; i < 100'000; ++i) many += "{},";
  many += "1]";
  ByteBudget budget(32 << 20);
  ByteCharge charge(&budget), other(&budget);
  ASSERT_TRUE(charge.TrySet(many.size()));
  {
    const ChargeScope scope(&charge);
    ASSERT_TRUE(ParseJson(many));
  }
  EXPECT_GE(charge.bytes(), 12'000'000u);
  charge = ByteCharge(&budget);  // a new request
  ASSERT_TRUE(charge.TrySet(many.size()));
  ASSERT_TRUE(other.TrySet(25 << 20));
  const ChargeScope scope(&charge);
  auto refused = ParseJson(many);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_NE(refused.error().message.find("memory-budget"), std::string::npos);
  ByteBudget small(4 << 20);
  ByteCharge of_small(&small);
  const ChargeScope inner(&of_small);
  EXPECT_EQ(ParseJson(many).error().code, Code::kTooLarge);
  EXPECT_TRUE(ParseJson("{\"a\": [1, 2]}"));
}

TEST(Json, ErrorNamesPositionAndKey) {
  EXPECT_NE(ParseJson("{\"content\":1,\"content\":2}").error().message.find("\"content\""),
            std::string::npos);
  EXPECT_NE(ParseJson("{\"a\": tru}").error().message.find("byte"), std::string::npos);
}

TEST(Json, ErrorOfTypedFieldNamesIt) {
  Json object = {{"title", 5}, {"limit", "x"}, {"none", nullptr}, {"ok", "yes"}};
  EXPECT_NE(RequiredString(object, "title").error().message.find("title must be a string"),
            std::string::npos);
  EXPECT_FALSE(OptionalInt(object, "limit"));
  EXPECT_EQ(*OptionalString(object, "none"), std::nullopt);
  EXPECT_EQ(*RequiredString(object, "ok"), "yes");
  EXPECT_EQ(RequiredString(object, "absent").error().message, "absent is required");
  EXPECT_EQ(StringAt({{"a", {{"b", "c"}}}}, {"a", "b"}), "c");
}

// Each pair was read off `kubectl label --local -o json` of version 1.36.
TEST(Yaml, TypesScalarsAsKubectlDoes) {
  const std::pair<const char*, Json> kCases[] = {{"y", true},
                                                 {"No", false},
                                                 {"on", true},
                                                 {"OFF", false},
                                                 {"True", true},
                                                 {"tRue", "tRue"},
                                                 {"~", nullptr},
                                                 {"Null", nullptr},
                                                 {"\"\"", ""},
                                                 {"'1'", "1"},
                                                 {"1", 1},
                                                 {"012", 10},
                                                 {"0o14", 12},
                                                 {"0x1F", 31},
                                                 {"-0x1F", -31},
                                                 {"0b11", 3},
                                                 {"1_000", 1000},
                                                 {"1.5", 1.5},
                                                 {"1e3", 1000.0},
                                                 {".5", 0.5},
                                                 {"5.", 5.0},
                                                 {"1:30", "1:30"},
                                                 {"2001-01-01", "2001-01-01"},
                                                 {"+1", 1},
                                                 {"=", "="},
                                                 {"1e", "1e"},
                                                 {"0x", "0x"},
                                                 {"-", "-"},
                                                 {"08", 8.0},
                                                 {"0o8", "0o8"},
                                                 {".e1", ".e1"},
                                                 {"1_0.5", 10.5},
                                                 {"012_3", 83},
                                                 {"\"yes\"", "yes"},
                                                 {"!!str 5", "5"},
                                                 {"18446744073709551615", 18446744073709551615ull}};
  for (const auto& [text, value] : kCases) {
    auto got = ParseYaml("a: [" + std::string(text) + "]");
    ASSERT_TRUE(got) << text << ": " << got.error().message;
    EXPECT_EQ((*got)["a"][0], value) << text;
  }
}

TEST(Yaml, RefusesAliasesDepthSizeAndDuplicates) {
  std::string deep(33, '['), closing(33, ']');
  for (const std::string& bad : {std::string("a: &x 1\nb: *x"), std::string("a: 1\na: 2"),
                                 deep + closing, std::string("a: [1"), std::string("? [a]\n: b"),
                                 std::string("a:\n\t- b"), std::string(300 << 10, 'x')}) {
    EXPECT_FALSE(ParseYaml(bad)) << bad.substr(0, 40);
  }
  EXPECT_NE(ParseYaml("a: 1\na: 2").error().message.find("line 2"), std::string::npos);
}

TEST(Yaml, TokenThatBeginsNoValueIsRefused) {
  for (const char* text : {",", "a: 1\n---\n,\n", "\n,,,\n---\nb: 2\n", "--- ,"}) {
    const auto got = ParseYamlDocuments(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, Code::kInvalid);
    EXPECT_NE(got.error().message.find("no value begins here"), std::string::npos)
        << got.error().message;
  }
}

TEST(Yaml, ReadsStreamsAndDropsEmptyDocuments) {
  auto got = ParseYamlDocuments("---\na: 1\n---\n---\nb: |\n  x\n  y\n");
  ASSERT_TRUE(got);
  ASSERT_EQ(got->size(), 2u);
  EXPECT_EQ((*got)[1]["b"], "x\ny\n");
}

TEST(Yaml, RoundTrips) {
  Json value = {
      {"a",
       {{"b", {1, "1", "yes", nullptr, true, 2.5}},
        {"empty", Json::object()},
        {"none", Json::array()}}},
      {"text", "line one\nline two\n"},
      {"odd", "a: b # c"},
      {"日", "本"},
      {"tail", "x\ny"},
      {"returns", {"x\r", "\rx", "x\t", "x\r\n"}},
      {"ends", {"x\n", "x\n\n", "\n", "\n\n", "\nx\n", " x\n", "x\n y\n", "x\n\ny\n", "x \n"}}};
  auto got = ParseYaml(DumpYaml(value));
  ASSERT_TRUE(got) << DumpYaml(value);
  EXPECT_EQ(*got, value) << DumpYaml(value);
}

}  // namespace
}  // namespace base
