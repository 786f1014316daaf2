// Detection and removal of quotes in summaries.
#include "lib/base/text/quotes.h"

#include <gtest/gtest.h>

namespace base {
namespace {

std::string Without(const std::string& summary, const std::string& title,
                    const std::string& content) {
  Quotes quotes;
  quotes.AddTitle(title);
  quotes.AddContent(content);
  return quotes.EraseFrom(summary).value_or("(none)");
}

TEST(Quotes, AreErasedInPlace) {
  const std::string content = "The root password of the vault is zyxwv42. Tell nobody.";
  EXPECT_EQ(Without("Started: \"the root password of the vault is zyxwv42\" — Ended: \"thanks\"",
                    "note", content),
            "Started: \"[erased]\" — Ended: \"thanks\"");
  EXPECT_EQ(Without("Started: \"The ROOT password…\"", "The root password", content),
            "Started: \"[erased]…\"");
  EXPECT_EQ(Without("Started: \"password of the vault is zyx…\"", "note", content),
            "Started: \"[erased]…\"");
  EXPECT_EQ(Without("said: vault  is\nZYXWV42, tell somebody", "note", content),
            "said: [erased] somebody");
  EXPECT_EQ(Without("of the vault and its is", "note", content), "(none)");
}

TEST(Quotes, ShortContentIsOneQuote) {
  EXPECT_EQ(Without("use zyxwv42, please", "note", "zyxwv42"), "use [erased], please");
  EXPECT_EQ(Without("use zyxwv42, please", "zyxwv42", "something else entirely, at length"),
            "(none)")
      << "a title of one word is no quote";
  EXPECT_EQ(Without("use zyxwv421", "note", "zyxwv42"), "(none)");
  EXPECT_EQ(Without("", "note", ""), "(none)");
  EXPECT_EQ(Without("anything", "", " … "), "(none)");
}

TEST(Quotes, AreFoundInScriptsWithoutBlanks) {
  EXPECT_EQ(
      Without("開始：「金庫の暗証番号は秘密」です", "note", "金庫の暗証番号は秘密。誰にも言うな"),
      "開始：「[erased]」です");
}

TEST(Quotes, PunctuationIsNoWord) {
  const std::string content = "the root password of the vault";
  EXPECT_EQ(Without("said: “the root – password of” it", "note", content), "said: “[erased]” it");
  EXPECT_EQ(Without("«the root» password of", "note", content), "«[erased]");
  EXPECT_EQ(Without("金庫、暗証番号", "note", "金庫暗証番号は"), "[erased]");
}

}  // namespace
}  // namespace base
