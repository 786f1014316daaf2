// A conversation as a value: its wire form and the fields that a runtime keeps in it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace conversation {

inline constexpr size_t kMaxConversationIdBytes = 200;

struct Conversation {
  std::string id, memory_session_id, state;  // state: open | ended
  int64_t created_ms = 0, updated_ms = 0;
  int64_t message_count = 0;
  int64_t turn = 0;  // count of user messages that came as UserPromptSubmit
  base::Json fields =
      base::Json::object();  // the runtime's data beside the messages: toolMeta, delegation, …
};

// Merges `changes` into the runtime's `fields`: toolMeta per call, any other key as a whole; null
// removes a call or a key. kTooLarge: over kMaxFieldsBytes.
inline constexpr size_t kMaxFieldsBytes = 1 << 20;
base::Result<base::Json> MergeFields(base::Json fields, const base::Json& changes);
base::Json EncodeConversation(const Conversation& conversation);

}  // namespace conversation
