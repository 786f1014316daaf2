// The agent's conversations in state.db, read for REST (conversation_routes) and MCP (recall_tool)
// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/json/json.h"
#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/conversations.h"
#include "sidecar/state/state.h"

namespace sidecar {

using conversation::kMostMessagesBytes;
using conversation::MessageQuestion;

struct MessageAnswer {
  conversation::Conversation conversation;
  conversation::MessagePage page;
};

// Any thread.
class WorkingMemory {
 public:
  // Both outlive it. A conversation without use for `ttl_ms` is hidden until its next use (0: never
  // hidden).
  WorkingMemory(State& state, const base::Clock& clock, int64_t ttl_ms)
      : state_(state), clock_(clock), ttl_ms_(ttl_ms) {}

  bool IsShown(const conversation::Conversation& conversation) const;
  // The newest open conversation. kNotFound: no conversation is open.
  base::Result<conversation::Conversation> Current() const;
  // The first and the last message of a block. kNotFound: "Block not found".
  base::Result<std::pair<int64_t, int64_t>> BlockRange(const std::string& id, int64_t block) const;
  // At most kMostMessagesBytes. kNotFound: no conversation has this id.
  base::Result<MessageAnswer> Messages(const std::string& id, MessageQuestion question) const;

 private:
  State& state_;
  const base::Clock& clock_;
  const int64_t ttl_ms_;
};

}  // namespace sidecar
