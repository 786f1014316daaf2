// The conversations of a host's caller and their messages as objects: for exports. The way back is
// conversation_import.h.
#pragma once

#include <functional>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

using OnObject = std::function<base::Status(const base::Json&)>;

// {id, state, createdAt, updatedAt (ms), turn, messageCount, memorySessionId, metadata: what a
// runtime keeps beside it}, in order of ids. Reads in pages, a transaction each, so that a slow
// export holds no log.
base::Status WalkConversations(Host& host, const OnObject& on_conversation);
// {id, conversationId, sequence (1.. of what is told), role, content, createdAt, toolCalls?,
// toolCallId?, isError?}, conversation by conversation.
base::Status WalkMessages(Host& host, const OnObject& on_message);

}  // namespace conversation
