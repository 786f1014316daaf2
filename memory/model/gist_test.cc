// The sentences that a gist keeps.
#include "memory/model/gist.h"

#include <gtest/gtest.h>

#include "lib/base/text/text.h"

namespace memory {
namespace {

TEST(Gist, AShortTextIsItsOwn) {
  EXPECT_EQ(GistOf("The pump failed. Ann came.", 100), "The pump failed. Ann came.");
  EXPECT_EQ(GistOf("", 10), "");
}

TEST(Gist, KeepsTheFirstAndTheWeightiestInTheirOrder) {
  const std::string text =
      "The pump of the north well failed. It was noon. Ann replaced the pump of the north well. "
      "We had lunch then.";
  EXPECT_EQ(GistOf(text, 80),
            "The pump of the north well failed. Ann replaced the pump of the north well.");
}

TEST(Gist, IsNeverLongerAndNeverEmpty) {
  EXPECT_EQ(base::CountCharacters(GistOf(std::string(1000, 'x'), 100)), 100u);
  std::string text;
  for (int i = 0; i < 200; ++i) text += "Sentence number " + std::to_string(i) + " says this.\n";
  for (size_t most : {20, 50, 400}) EXPECT_LE(base::CountCharacters(GistOf(text, most)), most);
  EXPECT_EQ(GistOf("一つ目の文。二つ目の文。三つ目の文。", 12), "一つ目の文。");
}

}  // namespace
}  // namespace memory
