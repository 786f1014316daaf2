// Test code: messages as agents send them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/conversation/message.h"

namespace conversation {

inline Message Text(const char* role, std::string content) {
  Message message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

inline Message Call(std::vector<std::string> ids) {
  Message message = Text("assistant", "");
  message.tool_calls = base::Json::array();
  for (const auto& id : ids) message.tool_calls.push_back({{"id", id}, {"type", "function"}});
  return message;
}

inline Message ToolResult(std::string id, std::string content = "output") {
  Message message = Text("tool", std::move(content));
  message.tool_call_id = std::move(id);
  return message;
}

}  // namespace conversation
