// Tests how JSON is mended that the strict parser refuses.
#include "lib/base/json/mend.h"

#include <gtest/gtest.h>
#include <time.h>

#include <random>

#include "lib/base/text/text.h"

namespace base {
namespace {

using std::string_literals::operator""s;

constexpr size_t kPlenty = 8 << 20;
const std::string kMark(kReplacement);

std::string Mended(std::string_view text, size_t max_bytes = kPlenty) {
  JsonMender mender(max_bytes);
  mender.Feed(text);
  return mender.Finish();
}

TEST(JsonMend, InvalidCharactersAreReplaced) {
  const std::pair<std::string, std::string> cases[] = {
      {R"("a\u0000b")", "a" + kMark + "b"},
      {"\"a\0b\""s, "a" + kMark + "b"},
      {R"("\ud83d")", kMark},
      {R"("\ud83d y")", kMark + " y"},
      {R"("\ud83d\n")", kMark + "\n"},
      {R"("\ud83d\ud83d\ude00")", kMark + "\xF0\x9F\x98\x80"},
      {R"("\uDC80x")", kMark + "x"},
      {R"("\ude00\ud83d")", kMark + kMark},
      {"\"\xFF\"", kMark},
      {"\"\xC3\"", kMark},
      {"\"\xC3(\"", kMark + "("},
      {"\"\xE2\x82\"", kMark},
      {"\"\xF0\x9F\x98\x80\"", "\xF0\x9F\x98\x80"},
      {"\"\\ud83d\xC3\xA9\"", kMark + "\xC3\xA9"},
      {R"("\ud83d\u0000")", kMark + kMark},
  };
  for (const auto& [odd, wanted] : cases) {
    const auto read = ReadMendedJson(odd, kPlenty);
    ASSERT_TRUE(read) << odd << ": " << Mended(odd);
    EXPECT_EQ(read->value, wanted) << odd;
    EXPECT_EQ(read->mends.characters, Mended(odd) != odd) << odd;
    EXPECT_EQ(ReadMendedJson("{" + odd + ":1}", kPlenty)->value, (Json{{wanted, 1}})) << odd;
  }
}

TEST(JsonMend, DeepLevelsBecomeText) {
  const std::string open(63, '['), close(63, ']');
  const std::string inner = R"({"a\n\"": [ "x", {"b": "\u00e9\ud83d"}, 1e9 ]})";
  const auto read = ReadMendedJson(open + "[" + inner + ",1,[2]]" + close, kPlenty);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->mends.levels);
  const Json* at = &read->value;
  for (int i = 0; i < 63; ++i) at = &(*at)[0];
  ASSERT_EQ(at->size(), 3U);
  ASSERT_TRUE((*at)[0].is_string());
  const auto again = ReadMendedJson((*at)[0].get<std::string>(), kPlenty);
  ASSERT_TRUE(again) << (*at)[0];
  EXPECT_EQ(again->value, (Json{{"a\n\"", {"x", {{"b", "é" + kMark}}, 1e9}}}));
  EXPECT_EQ((*at)[1], 1);
  EXPECT_EQ((*at)[2], "[2]");
}

TEST(JsonMend, BombOfLevelsBecomesOneText) {
  const std::string bomb = std::string(3 << 20, '[') + std::string(3 << 20, ']');
  const auto read = ReadMendedJson("{\"a\":" + bomb + ",\"b\":1}", kPlenty);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->value["b"], 1);
  EXPECT_TRUE(read->mends.cut);
}

TEST(JsonMend, LastDuplicateKeepsNameAndAllAreKept) {
  const auto read = ReadMendedJson(
      R"({"t":{"command":"rm a","command":"rm b","command_":0,"command":"ls"},"id":1})", kPlenty);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->value["t"]["command"], "ls");
  EXPECT_EQ(read->value["t"].size(), 4U) << read->value;
  std::string all = DumpJson(read->value);
  EXPECT_NE(all.find("rm a"), std::string::npos);
  EXPECT_NE(all.find("rm b"), std::string::npos);
  EXPECT_EQ(read->mends.duplicates, 3U);  // "command_" collides with a kept name
  EXPECT_EQ(read->mends.top_duplicates, 0U);
  EXPECT_EQ(ReadMendedJson(R"({"a":1,"a":{"b":2,"b":3}})", kPlenty)->mends.top_duplicates, 1U);
}

TEST(JsonMend, UnreadableNumbersBecomeText) {
  for (const char* number : {"1e999", "-1e400", "NaN", "Infinity", "-Infinity"}) {
    const auto read = ReadMendedJson("[0," + std::string(number) + " ]", kPlenty);
    ASSERT_TRUE(read) << number;
    EXPECT_EQ(read->value, (Json{0, number}));
    EXPECT_TRUE(read->mends.numbers);
  }
}

TEST(JsonMend, TextThatIsNoJsonIsRefused) {
  for (const std::string& bad : {""s,
                                 " "s,
                                 "{"s,
                                 "{}x"s,
                                 "{} {}"s,
                                 "{'a':1}"s,
                                 "[1,]"s,
                                 "01"s,
                                 "\"a"s,
                                 "\"a\nb\""s,
                                 "{\"a\":\0 1}"s,
                                 "{}\0"s,
                                 "\"\\x\""s,
                                 "\"\\u12\""s,
                                 "\"\\ud83d"s,
                                 "nul"s,
                                 "-"s,
                                 "]"s,
                                 "}{"s,
                                 "[}"s,
                                 "{\"a\"}"s,
                                 "\xFF"s,
                                 "// c\n1"s,
                                 std::string(200'000, '['),
                                 std::string(99, ',')}) {
    const auto read = ReadMendedJson(bad, kPlenty);
    EXPECT_FALSE(read) << bad.substr(0, 40);
    if (!read) {
      EXPECT_EQ(read.error().code, Code::kInvalid);
    }
  }
}

TEST(JsonMend, LongStringKeepsHeadAndTail) {
  JsonMender mender(kPlenty);
  mender.Feed(R"({"file_path":"/w/a","content":"begin)");
  for (int i = 0; i < 3'000; ++i) mender.Feed(std::string(9'999, 'x') + "\xC3\xA9");
  mender.Feed(R"(the end","mode":"w"})");
  const std::string mended = mender.Finish();
  EXPECT_TRUE(mender.mends().cut);
  EXPECT_LT(mended.size(), 256U << 10);
  const auto read = ParseJson(mended);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)["file_path"], "/w/a");
  EXPECT_EQ((*read)["mode"], "w");
  const std::string content = (*read)["content"];
  EXPECT_TRUE(content.starts_with("beginxxx") && content.ends_with("éthe end"));
  EXPECT_NE(content.find(kMark + "["), std::string::npos);
}

TEST(JsonMend, LongListEndsEarlyAndEventContinues) {
  for (const std::string& element :
       {"[[],{}]"s, "\"0123456789\""s, "0"s, R"({"a":"b","c":[1,2,3]})"s,
        "\"" + std::string(200'000, 'y') + "\""}) {
    for (const bool object : {false, true}) {
      const size_t limit = 1 << 20;
      JsonMender mender(limit);
      mender.Feed(object ? R"({"session_id":"s","tool_input":{"k":{"k":0)"
                         : R"({"session_id":"s","tool_input":{"k":[0)");
      size_t taken = 0;
      for (int i = 0; taken < 2 * limit; ++i) {
        const std::string one =
            object ? ",\"" + std::to_string(i) + "\":" + element : "," + element;
        mender.Feed(one);
        taken += one.size();
      }
      mender.Feed(object ? R"(}},"tool_use_id":"u"})" : R"(]},"tool_use_id":"u"})");
      const std::string mended = mender.Finish();
      EXPECT_LT(mended.size(), limit + (64 << 10));
      EXPECT_TRUE(mender.mends().cut);
      const auto read = ParseJson(mended);
      ASSERT_TRUE(read) << element.substr(0, 30) << ": " << read.error().message;
      EXPECT_EQ((*read)["session_id"], "s");
      EXPECT_EQ((*read)["tool_use_id"], "u");
    }
  }
}

TEST(JsonMend, MemoryIsBoundedForAnyInput) {
  const size_t limit = 512 << 10;
  for (const std::string& piece : {"["s, "{\"a\":"s, ","s, " "s, "\"\","s, "1"s, "\\"s, "\xFF"s,
                                   "\0"s, "\"a\":"s, "}"s, "{}"s, "\"\\u0000"s, "]["s}) {
    for (const std::string& begin : {""s, "{\"a\":["s, std::string(70, '[')}) {
      JsonMender mender(limit);
      mender.Feed(begin);
      for (size_t taken = 0; taken < 2 * limit; taken += 4'096) {
        std::string pieces;
        while (pieces.size() < 4'096) pieces += piece;
        mender.Feed(pieces);
      }
      EXPECT_LT(mender.Finish().size(), 2 * limit) << begin.substr(0, 9) << " " << piece;
    }
  }
}

// Writes random JSON; with `odd` also values that the strict parser refuses.
class Writer {
 public:
  Writer(std::mt19937_64& random, bool odd) : random_(random), odd_(odd) {}
  std::string Value(int levels) {
    switch (Below(levels > 0 ? 7 : 5)) {
      case 0:
        return Pick({"null", "true", "false"});
      case 1:
        return odd_ && Below(4) == 0 ? Pick({"1e999", "NaN", "-Infinity"})
                                     : Pick({"0", "-1.5e3", "18446744073709551615"});
      case 2:
      case 3:
      case 4:
        return Text();
      case 5:
        return List(levels);
      default:
        return Object(levels);
    }
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  std::string Pick(const std::vector<std::string>& from) { return from[Below(from.size())]; }
  std::string Blank() { return Pick({"", "", "", " ", "\n\t"}); }
  std::string Text() {
    std::string text = "\"";
    for (size_t n = Below(8); n > 0; --n) {
      text += Pick({"a", "\\\\", "\\\"", "\\n", "\\u00e9", "é", "😀", "\\ud83d\\ude00", "[", "}",
                    ",", ":", "\\u0001"});
      if (odd_ && Below(3) == 0)
        text += Pick(
            {"\\ud83d", "\\ude00", "\\u0000", "\xFF", "\xE2\x82", "\xED\xA0\xBD", "\0"s, "\xC3"});
    }
    return text + "\"";
  }
  std::string List(int levels) {
    std::string list = "[" + Blank();
    for (size_t n = Below(4), i = 0; i < n; ++i)
      list += (i > 0 ? "," : "") + Blank() + Value(levels - 1) + Blank();
    return list + "]";
  }
  std::string Object(int levels) {
    std::string object = "{" + Blank();
    for (size_t n = Below(4), i = 0; i < n; ++i) {
      std::string key = "\"" + std::to_string(i) + Text().substr(1);
      if (odd_ && i > 0 && Below(3) == 0) key = "\"0\"";
      object += (i > 0 ? "," : "") + Blank() + key + Blank() + ":" + Blank() + Value(levels - 1);
    }
    return object + Blank() + "}";
  }
  std::mt19937_64& random_;
  const bool odd_;
};

TEST(JsonMend, ValidJsonIsUnchangedAndOddJsonBecomesValid) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 3'000; ++round) {
    const std::string valid = Writer(random, false).Value(6);
    ASSERT_TRUE(ParseJson(valid)) << valid;
    ASSERT_EQ(Mended(valid), valid);
    const std::string deep(static_cast<size_t>(random() % 70), '[');
    const std::string odd = deep + Writer(random, true).Value(6) + std::string(deep.size(), ']');
    const auto read = ReadMendedJson(odd, kPlenty);
    ASSERT_TRUE(read) << odd << "\n" << read.error().message << "\n" << Mended(odd);
    // Input in pieces gives the same text, and mending is idempotent.
    JsonMender pieces(kPlenty);
    for (size_t at = 0; at < odd.size();) {
      const size_t n = std::min<size_t>(1 + random() % 5, odd.size() - at);
      pieces.Feed(std::string_view(odd).substr(at, n));
      at += n;
    }
    const std::string mended = pieces.Finish();
    ASSERT_EQ(mended, Mended(odd));
    ASSERT_EQ(Mended(mended), mended);
    // With almost no room the output is still JSON.
    JsonMender small((256 << 10) + 300);
    small.Feed(odd);
    JsonMends mends;
    const std::string cut = small.Finish();
    ASSERT_TRUE(ParseJson(cut, {}, &mends)) << odd << "\n" << cut;
  }
}

double CpuSeconds(const std::string& text) {
  timespec begin{}, end{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  (void)ReadMendedJson(text, kPlenty);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return static_cast<double>(end.tv_sec - begin.tv_sec) +
         static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e9;
}

TEST(JsonMend, TimeIsLinear) {
  const std::vector<std::string> pieces = {"\"\\u0000\",", "\"\\ud83d\",", "{\"a\":1,\"a\":2},",
                                           "1e999,",       "[[],[]],",     "\"\xFF\","};
  for (const std::string& piece : pieces) {
    const auto text = [&](size_t bytes) {
      std::string all = "[";
      while (all.size() < bytes) all += piece;
      return all + "\"\\u0000\"]";
    };
    const std::string once = text(200'000), twice = text(400'000);
    double best = 1e9;
    for (int i = 0; i < 20 && best > 2.5; ++i)
      best = std::min(best, CpuSeconds(twice) / CpuSeconds(once));
    EXPECT_LE(best, 2.5) << piece;
  }
  for (const bool one_name : {true, false}) {  // an object with duplicate keys
    const auto text = [&](int keys) {
      std::string all = "{\"z\":0";
      for (int i = 0; i < keys; ++i)
        all += ",\"k" + std::string(static_cast<size_t>(one_name ? 0 : i % 12), '_') + "\":1";
      return all + "}";
    };
    double best = 1e9;
    for (int i = 0; i < 20 && best > 2.5; ++i)
      best = std::min(best, CpuSeconds(text(6'000)) / CpuSeconds(text(3'000)));
    EXPECT_LE(best, 2.5);
  }
}

}  // namespace
}  // namespace base
