// Valid and refused answers of an embeddings endpoint.
#include "lib/embedding/openai_bodies.h"

#include <gtest/gtest.h>

#include "lib/base/json/json.h"

namespace embedding {
namespace {

std::string DecodeError(const std::string& body, size_t texts = 1, size_t dimensions = 0) {
  auto vectors = DecodeEmbeddingAnswer(body, texts, dimensions);
  return vectors ? "" : vectors.error().message;
}

TEST(OpenAiBodies, AskForNumbersAndForDimensionsWhenTheyAreGiven) {
  auto body = base::ParseJson(EncodeEmbeddingRequest("small", {"a", "b\xff"}, 0));
  ASSERT_TRUE(body);
  EXPECT_EQ((*body)["model"], "small");
  EXPECT_EQ((*body)["encoding_format"], "float");
  EXPECT_EQ((*body)["input"].size(), 2U);
  EXPECT_FALSE(body->contains("dimensions"));
  EXPECT_EQ((*base::ParseJson(EncodeEmbeddingRequest("small", {"a"}, 256)))["dimensions"], 256);
}

TEST(OpenAiBodies, VectorsComeInTheOrderOfTheTexts) {
  auto vectors = DecodeEmbeddingAnswer(
      R"({"object": "list", "data": [{"index": 1, "embedding": [0, -1e300]},
          {"index": 0, "embedding": [0.5, 0.25]}], "usage": {}})",
      2, 2);
  ASSERT_TRUE(vectors) << vectors.error().message;
  EXPECT_EQ((*vectors)[0], (std::vector<int8_t>{127, 64}));
  EXPECT_EQ((*vectors)[1], (std::vector<int8_t>{0, -127}));
  EXPECT_EQ(DecodeError(R"({"data": [{"embedding": [1]}, {"embedding": [2]}]})", 2), "");
}

TEST(OpenAiBodies, UnusableAnswersAreNotTaken) {
  for (const char* body :
       {"", "<html>", "[]", "{}", R"({"data": {}})", R"({"data": []})", R"({"data": [1]})",
        R"({"data": [{"embedding": []}]})", R"({"data": [{"embedding": "AAAA"}]})",
        R"({"data": [{"embedding": [NaN]}]})", R"({"data": [{"embedding": [1e999]}]})",
        R"({"data": [{"embedding": [null, 1]}]})", R"({"data": [{"embedding": [0, 0]}]})",
        R"({"data": [{"index": 1, "embedding": [1]}]})",
        R"({"data": [{"index": -1, "embedding": [1]}]})",
        R"({"data": [{"index": "0", "embedding": [1]}]})",
        R"({"data": [{"embedding": [1]}, {"embedding": [1]}]})"})
    EXPECT_NE(DecodeError(body), "") << body;
  const std::string two = R"({"data": [{"index": 0, "embedding": [1, 2]},
                                        {"index": 0, "embedding": [1, 2]}]})";
  EXPECT_NE(DecodeError(two, 2).find("twice"), std::string::npos);
  EXPECT_NE(DecodeError(R"({"data": [{"embedding": [1]}, {"embedding": [1, 2]}]})", 2), "");
  EXPECT_NE(DecodeError(R"({"data": [{"embedding": [1, 2]}]})", 1, 3).find("2 dimensions, not 3"),
            std::string::npos);
  std::string long_one = R"({"data": [{"embedding": [1)";
  for (size_t i = 0; i < kMostAnswerDimensions; ++i) long_one += ",1";
  EXPECT_NE(DecodeError(long_one + "]}]}").find("at most"), std::string::npos);
}

TEST(OpenAiBodies, ErrorsHoldNothingOfTheAnswer) {
  EXPECT_EQ(DecodeError("sk-secret").find("sk-secret"), std::string::npos);
  EXPECT_EQ(DecodeError(R"({"data": "sk-secret"})").find("sk-secret"), std::string::npos);
}

}  // namespace
}  // namespace embedding
