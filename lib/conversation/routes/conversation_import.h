// Imports objects of conversation_export.h, or conversations and messages of an AgentOS brain: a
// conversation before its messages, the messages in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/message.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

struct ArrivingRow {
  bool message = false;  // else a conversation
  base::Json json;
};

// Imports into the conversations of the host's caller. Existing rows stay unchanged. One thread;
// `host` outlives this.
class ConversationImport {
 public:
  explicit ConversationImport(Host& host) : host_(host) {}

  // In one commit. → per row: whether it was new; kInvalid: a field, or a conversation that
  // continues differently here; kTooLarge, kFull: a limit, and the row was not imported.
  using Outcomes = std::vector<base::Result<bool>>;
  base::Result<Outcomes> Take(const std::vector<ArrivingRow>& rows);

 private:
  base::Result<bool> TakeConversation(sqlite::Database& db, const base::Json& json);
  base::Result<bool> TakeMessage(sqlite::Database& db, const base::Json& json, int64_t counted);

  Host& host_;
  // Messages so far, by hashes of conversation ids: they number messages without a sequence.
  std::unordered_map<size_t, int64_t> counted_;
};

}  // namespace conversation
