// The agent's conversations in state.db, read for REST (conversation_routes) and MCP (recall_tool)
// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/json/json.h"
#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/messages.h"
#include "sidecar/state/state.h"

namespace sidecar {

inline constexpr size_t kMostMessagesBytes = 8 << 20;  // of one answer, with the fields

// Selects messages: the newest that fit `max_tokens`, or a stretch by number, a page at a time.
struct MessageQuestion {
  int64_t max_tokens = 0;  // 0: a stretch
  int64_t from = 1, to = INT64_MAX;
  std::optional<int64_t> newest;  // so many up to `to`, in place of `from`
  conversation::PageLimits limits;
};

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
  // The newest open one. kNotFound: no conversation is open.
  base::Result<conversation::Conversation> Current() const;
  // At most kMostMessagesBytes. kNotFound: there is no conversation of this id.
  base::Result<MessageAnswer> Messages(const std::string& id, MessageQuestion question) const;

 private:
  State& state_;
  const base::Clock& clock_;
  const int64_t ttl_ms_;
};

// kInvalid: an id has 1 to kMaxConversationIdBytes.
base::Status CheckConversationId(const std::string& id);
base::Error NoConversation(const std::string& id);  // kNotFound
// The messages as JSON, charged to the memory budget of this thread's request. kUnavailable: other
// requests hold it.
base::Result<base::Json> EncodeMessages(const conversation::MessagePage& page);

}  // namespace sidecar
