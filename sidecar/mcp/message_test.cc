// Shows the texts that are one message of JSON-RPC, and the error code of all others.
#include "sidecar/mcp/message.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

using base::Json;
using MessageKind = McpMessage::Kind;

int CodeOf(const char* text) {
  const McpReading reading = ReadMcpMessage(text);
  return reading.error ? reading.error->code : 0;
}

TEST(McpMessage, ARequestHasAnIdAndANotificationHasNone) {
  const auto request =
      ReadMcpMessage(R"({"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"x":1}})");
  ASSERT_FALSE(request.error);
  EXPECT_EQ(request.message.kind, MessageKind::kRequest);
  EXPECT_EQ(request.message.id, "a");
  EXPECT_EQ(request.message.method, "tools/list");
  EXPECT_EQ(request.message.params, Json({{"x", 1}}));
  const auto notification = ReadMcpMessage(R"({"jsonrpc":"2.0","method":"notifications/x"})");
  ASSERT_FALSE(notification.error);
  EXPECT_EQ(notification.message.kind, MessageKind::kNotification);
  EXPECT_TRUE(notification.message.params.is_object());
  EXPECT_EQ(ReadMcpMessage(R"({"jsonrpc":"2.0","id":7,"result":{}})").message.kind,
            MessageKind::kResponse);
}

TEST(McpMessage, WhatIsNoJsonIsAParseError) {
  for (const char* text : {"", "{", "nul", "{\"jsonrpc\":\"2.0\"} {}", "\xff", "{\"a\":1,}"}) {
    EXPECT_EQ(CodeOf(text), kParseError) << text;
  }
}

TEST(McpMessage, AKeyThatIsThereTwiceIsRefusedAtAnyDepth) {
  for (const char* text :
       {R"({"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"})",
        R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"id":1,"i\u0064":2}}})"}) {
    EXPECT_EQ(CodeOf(text), kParseError) << text;
  }
}

TEST(McpMessage, WhatIsNoMessageIsAnInvalidRequest) {
  for (const char* text :
       {"[]", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "1", "null", "\"ping\"", "{}",
        R"({"id":1,"method":"ping"})", R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":true,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":{},"method":"ping"})", R"({"jsonrpc":"2.0","id":1,"method":1})",
        R"({"jsonrpc":"2.0","id":1,"method":""})",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","result":{}})",
        R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})", R"({"jsonrpc":"2.0","result":{}})",
        R"({"jsonrpc":"2.0","id":1})"}) {
    EXPECT_EQ(CodeOf(text), kInvalidRequest) << text;
  }
}

TEST(McpMessage, ARefusalCarriesTheIdWhereThereIsOne) {
  const auto reading = ReadMcpMessage(R"({"jsonrpc":"2.0","id":5,"method":1})");
  EXPECT_EQ(RpcFailure(reading.message.id, *reading.error)["id"], 5);
  const auto unread = ReadMcpMessage("{");
  EXPECT_FALSE(RpcFailure(unread.message.id, *unread.error).contains("id"));
}

TEST(McpMessage, AnIdOfEndlessLengthIsNotEchoed) {
  const std::string text =
      R"({"jsonrpc":"2.0","method":"ping","id":")" + std::string(kMaxRpcIdBytes + 1, 'x') + "\"}";
  EXPECT_EQ(CodeOf(text.c_str()), kInvalidRequest);
}

}  // namespace
}  // namespace sidecar
