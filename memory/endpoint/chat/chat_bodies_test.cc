// Valid, malformed and hostile answers of a chat endpoint.
#include "memory/endpoint/chat/chat_bodies.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

using base::Json;

std::string Completion(const std::string& text, const Json& usage = nullptr) {
  Json answer;
  answer["choices"][0]["message"]["content"] = text;
  answer["usage"]["total_tokens"] = usage;
  return base::DumpJson(answer);
}

TEST(ChatBodies, AnswerHasTextAndTokens) {
  const auto answer = DecodeChatAnswer(Completion("{}", 321));
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer->text, "{}");
  EXPECT_EQ(answer->tokens, 321);
}

TEST(ChatBodies, InvalidCompletionIsAnErrorOfTheEndpoint) {
  for (const char* body : {"", "<html>", "[]", "{}", R"({"choices": []})", R"({"choices": [1]})",
                           R"({"choices": [{"message": {}}]})", R"({"error": "sk-echo"})"}) {
    const auto answer = DecodeChatAnswer(body);
    ASSERT_FALSE(answer) << body;
    EXPECT_EQ(answer.error().message.find("sk-echo"), std::string::npos);
  }
  const auto refusal = DecodeChatAnswer(R"({"choices": [{"message": {"content": null}}]})");
  ASSERT_TRUE(refusal) << "the model has nothing to say of this";
  EXPECT_FALSE(refusal->text);
  const auto cut = DecodeChatAnswer(
      R"({"choices": [{"finish_reason": "length", "message": {"content": "{}"}}]})");
  EXPECT_NE(cut->text.error().message.find("1200 tokens"), std::string::npos);
}

TEST(ChatBodies, InvalidTokenCountIsIgnored) {
  for (const Json& usage : {Json(), Json(-1), Json(0), Json("9"), Json(1.5), Json(UINT64_MAX)})
    EXPECT_EQ(DecodeChatAnswer(Completion("{}", usage))->tokens, 0) << usage;
}

}  // namespace
}  // namespace memory
