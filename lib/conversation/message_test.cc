// Tests that invalid messages are refused, and that no half of a call and its result stays beside a
// row that changed.
#include "lib/conversation/message.h"

#include <gtest/gtest.h>

#include "lib/conversation/message_fixture.h"

namespace conversation {
namespace {

using base::Json;

TEST(Messages, DecodeNamesTheInvalidField) {
  for (const char* text :
       {"[]", "{}", R"({"messages": 1})", R"({"messages": [1]})", R"({"messages": [{}]})",
        R"({"messages": [{"role": "robot"}]})", R"({"messages": [{"role": "user", "content": 1}]})",
        R"({"messages": [{"role": "assistant", "tool_calls": {}}]})"}) {
    auto decoded = DecodeMessages(*base::ParseJson(text));
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.error().code, base::Code::kInvalid);
  }
  auto good = DecodeMessages(
      *base::ParseJson(R"({"messages": [{"role": "tool", "content": "x", "tool_call_id": "t"}]})"));
  ASSERT_TRUE(good);
  EXPECT_EQ(EncodeMessage((*good)[0]),
            (Json{{"role", "tool"}, {"content", "x"}, {"tool_call_id", "t"}}));
}

Message Changed(Message message) {
  message.checksum_ok = false;
  return message;
}

std::vector<std::string> Texts(std::vector<Message> messages) {
  int64_t sequence = 0;
  for (Message& message : messages) message.sequence = ++sequence;
  std::vector<std::string> texts;
  for (const Message& message : DropCorrupt(std::move(messages))) {
    std::string text = message.content;
    for (const std::string& call : CallIds(message.tool_calls)) text += "+" + call;
    texts.push_back(text.empty() ? message.tool_call_id : text);
  }
  return texts;
}

TEST(Unsound, DamagedMessageIsDroppedAlone) {
  EXPECT_EQ(Texts({Text("user", "a"), Changed(Text("user", "b")), Text("user", "c")}),
            (std::vector<std::string>{"a", "c"}));
}

TEST(Unsound, DamagedCallIsDroppedWithItsResults) {
  const auto all = {Text("user", "a"), Call({"t1", "t2"}), ToolResult("t1"), ToolResult("t2"),
                    Text("user", "z")};
  EXPECT_EQ(Texts(all).size(), 5u);
  std::vector<Message> no_call = all, no_result = all;
  no_call[1].checksum_ok = false;
  EXPECT_EQ(Texts(no_call), (std::vector<std::string>{"a", "z"}));
  no_result[2].checksum_ok = false;
  const auto left = Texts(no_result);
  ASSERT_EQ(left.size(), 4u);
  EXPECT_NE(left[1].find("+t2"), std::string::npos);
  EXPECT_EQ(left[1].find("+t1"), std::string::npos);
}

TEST(Unsound, CallWithoutResultYetStays) {
  EXPECT_EQ(Texts({Changed(Text("user", "a")), Call({"t9"})}).size(), 1u);
}

}  // namespace
}  // namespace conversation
