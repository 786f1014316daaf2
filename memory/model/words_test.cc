// Words of queries, flags and bigrams of records.
#include "memory/model/words.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

std::vector<std::string> Firsts(std::string_view text) {
  std::vector<std::string> firsts;
  for (const QuestionWord& word : ReadQuestion(text).words) firsts.push_back(word.forms[0]);
  return firsts;
}

TEST(Words, FunctionWordsAreDroppedUnlessNothingIsLeft) {
  EXPECT_EQ(Firsts("What is the timeout of the database?"),
            (std::vector<std::string>{"timeout", "database"}));
  EXPECT_EQ(Firsts("what is it"), (std::vector<std::string>{"what", "is", "it"}));
  EXPECT_TRUE(Firsts(" ?!\"' ").empty());
}

TEST(Words, IrregularFormsAreOneWord) {
  Question question = ReadQuestion("Where did she go, and who went?");
  ASSERT_EQ(question.words.size(), 1u);
  EXPECT_EQ(question.words[0].forms, (std::vector<std::string>{"go", "went", "gone", "goes"}));
  EXPECT_EQ(AnyWordOf(question).owner, (std::vector<size_t>{0, 0, 0, 0}));
}

TEST(Words, NothingInTheExpressionIsAnOperator) {
  EXPECT_EQ(AnyWordOf(ReadQuestion("disk\" OR (NEAR* -col:full)")).expression,
            "\"disk\" OR \"col\" OR \"full\"");
  EXPECT_EQ(AnyWordOf(ReadQuestion("AND")).expression, "\"and\"");
}

TEST(Words, AQuestionIsCutAtItsLimit) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "w" + std::to_string(i) + " ";
  EXPECT_EQ(ReadQuestion(text, 32).words.size(), 32u);
}

TEST(Words, CjkRunsBecomePairs) {
  EXPECT_EQ(Firsts("数据库"), (std::vector<std::string>{"数据", "据库"}));
  EXPECT_EQ(Firsts("库"), (std::vector<std::string>{"库"}));
  EXPECT_EQ(FormerGrams("use 数据库 x"), "数 数据 据 据库 库");
  EXPECT_EQ(FormerGrams("plain"), "");
}

TEST(Words, MarksTellQuestionsAndTimes) {
  EXPECT_EQ(FlagsOf("Ready? "), kFlagQuestion | kFlagAsks);
  EXPECT_EQ(FlagsOf("准备好了吗？"), kFlagQuestion | kFlagAsks);
  EXPECT_EQ(FlagsOf("Ready? I am."), kFlagAsks);
  EXPECT_EQ(FlagsOf("We met last Friday"), kFlagTime);
  EXPECT_EQ(FlagsOf("in 2023 it was"), kFlagTime | kFlagNumber);
  EXPECT_EQ(FlagsOf("port 7437 open"), kFlagNumber);
  EXPECT_EQ(FlagsOf("Two ports, v2"), kFlagNumber);
  EXPECT_EQ(FlagsOf("the port is open"), 0);
}

TEST(Words, WhenQuestionsAreSeen) {
  EXPECT_TRUE(ReadQuestion("When did it fail?").asks_when);
  EXPECT_TRUE(ReadQuestion("how long did it take").asks_when);
  EXPECT_FALSE(ReadQuestion("Whenever it fails").asks_when);
}

TEST(Words, QuestionsForANumberAreSeen) {
  for (const char* asked :
       {"How many ports?", "Since when, and how long?", "HOW OLD is it", "how much"})
    EXPECT_TRUE(ReadQuestion(asked).asks_how_many) << asked;
  for (const char* other : {"How do many ports open?", "many ports", ""})
    EXPECT_FALSE(ReadQuestion(other).asks_how_many) << other;
}

TEST(Words, WordsAreCounted) { EXPECT_EQ(CountWords("don't stop: 数据 ok"), 6); }

}  // namespace
}  // namespace memory
