// Which messages of a conversation a reader asks for, and their answer within the limit of one
// answer. Calls run inside the caller's transaction.
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

// Selects messages: the newest that fit `max_tokens`, or a stretch by number, a page at a time.
struct MessageQuestion {
  int64_t max_tokens = 0;  // 0: a stretch
  int64_t from = 1, to = INT64_MAX;
  std::optional<int64_t> newest;  // so many up to `to`, in place of `from`
  PageLimits limits;
};

// At most kMostMessagesBytes with the fields of `found`.
base::Result<MessagePage> ReadMessages(sqlite::Database& db, const Conversation& found,
                                       MessageQuestion question);
// The messages as JSON, charged to the memory budget of this thread's request; outside of the
// transaction, for the sake of other readers. kUnavailable: other requests hold it.
base::Json EncodeMessages(const MessagePage& page);

}  // namespace conversation
