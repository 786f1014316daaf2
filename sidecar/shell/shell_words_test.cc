// Shows how commands are cut into words, and that random ones are cut or refused, never more.
#include "sidecar/shell/shell_words.h"

#include <gtest/gtest.h>

#include <random>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

// The words with marks: ! names a command, $ expands.
std::string Cut(std::string_view command) {
  const auto words = ParseShellWords(command);
  if (!words) return "refused: " + words.error().message;
  std::vector<std::string> texts;
  for (const ShellWord& word : *words) {
    texts.push_back((word.names_command ? "!" : "") + std::string(word.expands ? "$" : "") +
                    word.text);
  }
  return base::Join(texts, "|");
}

TEST(ShellWords, QuotesEscapesAndOperatorsCutWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"ls -la  /a", "!ls|-la|/a"},
      {"a 'b c' \"d e\" f\\ g", "!a|b c|d e|f g"},
      {"r''m \"a\"'b'\\c", "!rm|abc"},
      {"a;b&&c|d&e\nf", "!a|!b|!c|!d|!e|!f"},
      {"X=1 Y=2 make", "X=1|Y=2|!make"},
      {"if true; then ls; fi", "!if|!true|!then|!ls|!fi"},
      {"a 2>err >>out <in", "!a|err|out|in"},
      {"a 2>&1 >&- b", "!a|b"},
      {"a &>out", "!a|out"},
      {"echo \"x\\\"y\\z\" # not this", "!echo|x\"y\\z"},
      {"a $X ${Y} $(b c) `d` $? 5$", "!a|$|$|!b|c|$|!d|$|0|5$"},
      {"cat <<E x\nb 'ody\nE\nls", "!cat|x|!ls"},
      {"cat <<-'E'\n\t$(x)\n\tE\nls", "!cat|!ls"},
      {"cat <<<word", "!cat|word"},
      {"a\\\nb", "!ab"},
      {"diff <(ls a) b", "!diff|!ls|a|b"},
      {"", ""},
  };
  for (const auto& [command, words] : cases) EXPECT_EQ(Cut(command), words) << command;
}

TEST(ShellWords, UnclosedQuoteOrBracketIsRefused) {
  for (const char* command : {"'", "\"", "`", "$(", "${", "$'", "(", "a\\", "<<E\n", "\"$(\""}) {
    EXPECT_TRUE(Cut(command).starts_with("refused: ")) << command;
  }
  std::string deep, many;
  for (int i = 0; i < 100; ++i) deep += "$(";
  for (size_t i = 0; i <= kMaxShellWords + 1; ++i) many += "a ";
  EXPECT_NE(Cut(deep).find("nested too deep"), std::string::npos);
  EXPECT_NE(Cut(many).find("too many words"), std::string::npos);
}

TEST(ShellWords, RandomTextIsCutOrRefused) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::string_view characters = "ab '\"\\$(){}`<>&|;#\n=-/.*E";
  for (int round = 0; round < 20'000; ++round) {
    std::string command;
    for (size_t length = random() % 40; length > 0; --length) {
      command += characters[random() % characters.size()];
    }
    const auto words = ParseShellWords(command);
    if (words) {
      ASSERT_LE(words->size(), command.size() + 1) << command;
    }
  }
}

}  // namespace
}  // namespace sidecar
