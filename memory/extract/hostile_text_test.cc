// Texts that are made to be slow, to break UTF-8, or to exceed a limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <string>

#include "lib/base/text/text.h"
#include "lib/testing/hostile_texts.h"
#include "memory/extract/extract.h"
#include "memory/extract/prose/prose.h"

namespace memory {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

std::string Repeated(std::string_view piece, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  text.resize(bytes);
  return text;
}

// Processor time; the lower of two measurements.
double SecondsOf(const std::string& text) {
  double least = 1e9;
  for (int round = 0; round < 2; ++round) {
    const std::clock_t begin = std::clock();
    (void)ExtractFacts(text, "");
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

void ExpectWellFormed(const std::string& user, const std::string& assistant) {
  const auto facts = ExtractFacts(user, assistant);
  EXPECT_LE(facts.size(), kMaxCandidates);
  for (const FactCandidate& fact : facts) {
    EXPECT_TRUE(base::IsUtf8(fact.content));
    EXPECT_LE(base::CountCharacters(fact.content), kMaxFactCharacters);
    EXPECT_FALSE(base::IsBlank(fact.content));
    EXPECT_EQ(fact.content.find_first_of("\n\0"s), std::string::npos);
  }
}

TEST(HostileFacts, TimeIsLinear) {
  for (const char* piece : {"I",          "I like ",    "I live in Rome and ",
                            "my dog is ", "\"",         "“",
                            "„«",         "`",          "[",
                            "[a](",       "<a ",        "<memory:",
                            "<b>\n",      ", I ",       ". ",
                            "\n",         "last week ", "one two ",
                            "…",          "我喜欢",     "私は",
                            "ich mag ",   "\xFF",       "",
                            "a.b.",       "- [id 1",    "i’m ",
                            "É"}) {
    const std::string_view repeated = *piece ? std::string_view(piece) : "\0"sv;
    const double least = SecondsOf(Repeated(repeated, kMaxProse / 16));
    const double most = SecondsOf(Repeated(repeated, kMaxProse / 2));
    // Eight times the text; a few milliseconds are too short to measure.
    EXPECT_LT(most, std::max(8 * 3 * least, .03))
        << "\"" << piece << "\": " << least << ", " << most;
  }
}

TEST(HostileFacts, OnlyTheFirstPartOfALongTextIsRead) {
  const std::string megabyte = Repeated("I live in Rome and ", 1 << 20);
  EXPECT_LT(SecondsOf(megabyte), 3 * SecondsOf(megabyte.substr(0, kMaxProse)) + .05);
  ExpectWellFormed(megabyte, Repeated("x", 1 << 20));
  ExpectWellFormed("I love " + Repeated("x", 1 << 20), "");
  ExpectWellFormed("I love " + Repeated("日本", 1 << 20), "");
}

TEST(HostileFacts, InvalidBytesHideNoOtherFacts) {
  const auto facts = ExtractFacts("I live in R\xFFome\0 and so on.\nI prefer tabs.\xC3"s, "\xE2"s);
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[1].content, "User prefers tabs.");
  ExpectWellFormed("I live in R\xFFome\0 and so on.\nI prefer tabs.\xC3"s, "\xE2"s);
}

TEST(HostileFacts, DeeplyNestedQuotesAndBracketsEnd) {
  ExpectWellFormed(Repeated("“„«[(<`\"", 60'000) + " I live in Rome.",
                   Repeated("<memory:a><b>", 60'000));
  ExpectWellFormed(Repeated("\"I like ", 60'000), Repeated("\n> \"", 60'000));
}

TEST(HostileFacts, LongFactIsCut) {
  const auto facts = ExtractFacts("I prefer " + Repeated("very long sentences ", 2'000), "");
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_LE(base::CountCharacters(facts[0].content), kMaxFactCharacters);
  EXPECT_GT(base::CountCharacters(facts[0].content), kMaxFactCharacters / 2);
}

TEST(HostileFacts, RandomPiecesGiveWellFormedFacts) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::HostileTexts texts(seed);
  constexpr const char* kFacts[] = {"I live in ",  "My name is ", "I prefer ",
                                    ". No, it's ", "\n",          "I went to Rome yesterday. "};
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int piece = 0; piece < 8; ++piece)
      text += texts.One() + kFacts[random() % std::size(kFacts)];
    ExpectWellFormed(text, texts.One());
  }
}

}  // namespace
}  // namespace memory
