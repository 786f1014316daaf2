// Exports the conversations of a host's caller and their messages as objects. conversation_import.h
// is the reverse.
#pragma once

#include <functional>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
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

}  // namespace conversation
