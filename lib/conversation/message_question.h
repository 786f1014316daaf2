// Reads the requested messages of a conversation, within the limit of one answer. Calls run inside
// the caller's transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/messages.h"
#include "lib/sqlite/database.h"

namespace conversation {

inline constexpr size_t kMostMessagesBytes = 8 << 20;  // of one answer, with the fields

// Selects messages: the newest that fit `max_tokens`, or a range of numbers, in pages.
struct MessageQuestion {
  int64_t max_tokens = 0;  // 0: a range
  int64_t from = 1, to = INT64_MAX;
  std::optional<int64_t> newest;  // the number of messages up to `to`, instead of `from`
  PageLimits limits;
};

// At most kMostMessagesBytes with the fields of `found`.
base::Result<MessagePage> ReadMessages(sqlite::Database& db, const Conversation& found,
                                       MessageQuestion question);
// Encodes the messages as JSON; ReadMessages has charged them to the memory budget. Call it after
// the transaction, so that other readers do not wait for it.
base::Json EncodeMessages(const MessagePage& page);

}  // namespace conversation
