// Signs and limits of emotions.
#include "memory/extract/sentiment.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

TEST(Sentiment, EmotionalWordsHaveValenceAndArousal) {
  EXPECT_GT(EmotionsOf("User is thrilled about the job").valence, .5);
  EXPECT_GT(EmotionsOf("User is thrilled about the job").arousal, .5);
  EXPECT_LT(EmotionsOf("User was HEARTBROKEN.").valence, -.5);
  EXPECT_LT(EmotionsOf("a calm evening").arousal, .3);
}

TEST(Sentiment, TextWithoutKnownWordsIsNeutral) {
  for (const char* text : {"", "The port is 8080.", "\xFF\xFE", "我喜欢茶"}) {
    EXPECT_DOUBLE_EQ(EmotionsOf(text).valence, 0) << text;
    EXPECT_DOUBLE_EQ(EmotionsOf(text).arousal, 0) << text;
  }
}

TEST(Sentiment, NegationInvertsAndDegreeAmplifies) {
  EXPECT_LT(EmotionsOf("User is not happy").valence, 0);
  EXPECT_LT(EmotionsOf("User doesn't like that").valence, 0);
  EXPECT_GT(EmotionsOf("very happy").valence, EmotionsOf("happy").valence);
  EXPECT_GT(EmotionsOf("not really that kind of person who is happy").valence, 0);  // out of reach
}

TEST(Sentiment, ValuesStayInRange) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "very ecstatic, ";
  const Emotions emotions = EmotionsOf(text);
  EXPECT_DOUBLE_EQ(emotions.valence, 1);
  EXPECT_DOUBLE_EQ(emotions.arousal, 1);
}

}  // namespace
}  // namespace memory
