// Tests which bodies are accepted as checkpoints, and their stored documents.
#include "lib/conversation/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

namespace conversation {
namespace {

using base::Json;

TEST(Checkpoint, BodyRoundTrips) {
  const Json body = {{"step", 40},
                     {"messages", {{{"role", "user"}, {"content", {{{"type", "text"}}}}}}},
                     {"memory", {{"found", {1, 2.5, nullptr}}}},
                     {"tool_state", {{"cwd", "/srv/ü"}}},
                     {"ttl", "1h"}};
  const auto decoded = DecodeCheckpoint(body);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->ttl_ms, 3'600'000);
  const auto document = WriteDocument(decoded->checkpoint);
  ASSERT_TRUE(document);
  const auto read = ReadDocument(*document);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->step, 40);
  EXPECT_EQ(read->messages, body["messages"]);
  EXPECT_EQ(read->memory, body["memory"]);
  EXPECT_EQ(read->tool_state, body["tool_state"]);
}

TEST(Checkpoint, WithoutMessagesItNamesThoseOfConversation) {
  auto decoded = DecodeCheckpoint({{"step", 0}, {"messages", nullptr}});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->ttl_ms, 24 * 3'600'000);
  decoded->checkpoint.messages_to = 7;
  const auto document = WriteDocument(decoded->checkpoint);
  EXPECT_EQ(*document, R"({"memory":{},"messages_to":7,"step":0,"tool_state":{}})");
  EXPECT_EQ(ReadDocument(*document)->messages_to, 7);
}

TEST(Checkpoint, ErrorsNameTheFieldAndItsLimit) {
  const auto refused = [](const Json& body) {
    const auto decoded = DecodeCheckpoint(body);
    return decoded ? "taken" : decoded.error().message;
  };
  EXPECT_NE(refused(Json::array()).find("object"), std::string::npos);
  EXPECT_NE(refused(Json::object()).find("step"), std::string::npos);
  EXPECT_NE(refused({{"step", -1}}).find("it is -1"), std::string::npos);
  EXPECT_NE(refused({{"step", 1.5}}).find("step"), std::string::npos);
  EXPECT_NE(refused({{"step", 1}, {"messages", {1}}}).find("messages[0]"), std::string::npos);
  EXPECT_NE(refused({{"step", 1}, {"memory", Json::array()}}).find("memory"), std::string::npos);
  EXPECT_NE(refused({{"step", 1}, {"tool_state", "x"}}).find("tool_state"), std::string::npos);
  for (const Json& ttl : {Json(0), Json("0s"), Json("8761h"), Json(-1), Json("soon"), Json(true)})
    EXPECT_NE(refused({{"step", 1}, {"ttl", ttl}}).find("ttl"), std::string::npos) << ttl;
  Checkpoint large;
  large.memory["x"] = std::string(kMaxCheckpointBytes, 'x');
  const auto document = WriteDocument(large);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, base::Code::kTooLarge);
}

}  // namespace
}  // namespace conversation
