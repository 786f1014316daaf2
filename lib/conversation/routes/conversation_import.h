// Takes in what conversation_export.h tells, or an AgentOS brain's conversations and messages: a
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

// Into the conversations of the host's caller. What is there stays as it is. One thread; `host`
// outlives it.
class ConversationImport {
 public:
  explicit ConversationImport(Host& host) : host_(host) {}

  // In one commit. → of each: whether it was new here; kInvalid: a field, or a conversation that
  // goes on otherwise here; kFull: a limit of the conversation, and the row was not taken.
  using Outcomes = std::vector<base::Result<bool>>;
  base::Result<Outcomes> Take(const std::vector<ArrivingRow>& rows);

 private:
  base::Result<bool> TakeConversation(sqlite::Database& db, const base::Json& json);
  base::Result<bool> TakeMessage(sqlite::Database& db, const base::Json& json, int64_t counted);

  Host& host_;
  // How many messages without a number came, by digests of their conversations.
  std::unordered_map<size_t, int64_t> counted_;
};

}  // namespace conversation
