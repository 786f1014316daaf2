// Exports the conversations of a host's caller and their messages as objects, and imports such
// objects, or conversations and messages of an AgentOS brain: a conversation before its messages,
// the messages in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/message.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

using OnObject = std::function<base::Status(const base::Json&)>;

// {id, state, createdAt, updatedAt (ms), turn, messageCount, memorySessionId, metadata: the
// runtime's fields}, in order of ids. Reads each page in its own transaction, so that a slow export
// does not hold the WAL.
base::Status WalkConversations(Host& host, const OnObject& on_conversation);
// {id, conversationId, sequence (1.. of the exported ones), role, content, createdAt, toolCalls?,
// toolCallId?, isError?}, conversation by conversation.
base::Status WalkMessages(Host& host, const OnObject& on_message);

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
  base::Result<Outcomes> Import(const std::vector<ArrivingRow>& rows);

 private:
  base::Result<bool> ImportConversation(Rows& rows, const base::Json& json);
  base::Result<bool> ImportMessage(Rows& rows, const base::Json& json, int64_t counted);

  Host& host_;
  // Messages so far, by hashes of conversation ids: they number messages without a sequence.
  std::unordered_map<size_t, int64_t> counted_;
};

}  // namespace conversation
