// The tokenizer of the full-text table takes each term as one token, whatever its script.
#include <gtest/gtest.h>

#include "lib/base/text/characters.h"
#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/model/terms.h"
#include "memory/sqlite/ranking/fts5_tokens.h"

namespace memory {
namespace {

std::string Utf8(uint32_t c) {
  auto byte = [](uint32_t b) { return static_cast<char>(b); };
  auto trail = [&](int shift) { return byte(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), trail(0)};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), trail(6), trail(0)};
  return {byte(0xF0 | c >> 18), trail(12), trail(6), trail(0)};
}

TEST(TermsAndTokens, EachLetterOfUnicodeIsOneToken) {
  testing::TemporaryDirectory scratch;
  auto database = sqlite::Database::Open(scratch.File("file"), {});
  ASSERT_TRUE(database);
  auto tokens = Tokens::Make(*database);
  ASSERT_TRUE(tokens);
  size_t letters = 0, failed = 0;
  for (uint32_t c = 1; c < 0x110000 && failed < 20; ++c) {
    if ((c >= 0xD800 && c < 0xE000) || !base::IsWordCharacter(c)) continue;
    if (c % 7 != 0 && c >= 0x4E00 && c < 0xD7A4) continue;  // of CJK and Hangul every seventh
    if (c % 7 != 0 && c >= 0x20000) continue;
    for (const CutToken& token : CutText("xx" + Utf8(c) + "yy")) {
      std::vector<std::string> terms = token.wholes;
      terms.insert(terms.end(), token.grams.begin(), token.grams.end());
      for (const CutWord& word : token.words) {
        terms.push_back(word.term);
        terms.insert(terms.end(), word.humps.begin(), word.humps.end());
      }
      for (const std::string& term : terms) {
        if (term.empty()) continue;
        const auto keys = tokens->OfQuestion({{QuestionWord{{term}}}, false});
        const bool one = keys && (*keys)[0].size() == 1;
        EXPECT_TRUE(one) << "U+" << std::hex << c << " \"" << term << '"';
        failed += !one;
      }
    }
    ++letters;
  }
  EXPECT_GT(letters, 50'000u);
}

}  // namespace
}  // namespace memory
