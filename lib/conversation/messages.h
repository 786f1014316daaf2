// The messages of conversations in SQLite: appended one event at a time, read in pages whose cost
// depends only on the returned rows. Calls run inside the caller's transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/message.h"
#include "lib/sqlite/database.h"

namespace conversation {

base::Result<int64_t> Append(sqlite::Database& db, const std::string& id,
                             const std::vector<Message>& messages,
                             int64_t now_ms);  // → last sequence

// Reads leave out messages whose rows changed on disk, with the other half of a call and its
// result, and changed fields of conversations; Database::TakeUnsoundRows names the rows.
struct MessagePage {
  std::vector<Message> messages;
  int64_t more = 0;  // number of the first message that did not fit; 0: complete
};
struct PageLimits {
  int64_t messages = INT64_MAX;
  size_t bytes = SIZE_MAX;  // sum of EncodedBytes; a page has at least one message
};
// The messages from number `from` to `to`, in order, charged to the thread's request
// (base::AnswerCharge). Does not read rows after the page. A call and its result are matched only
// if the same page has both.
base::Result<MessagePage> MessagesBetween(sqlite::Database& db, const std::string& id, int64_t from,
                                          int64_t to, const PageLimits& limits = {});
// The newest messages that fit `max_tokens` (characters / 3) and `max_bytes`, with the system
// messages and without tool results whose call is left out. Reads backwards, no further than
// necessary. `more`: the newest message without room in `max_bytes`; messages beyond the tokens do
// not count.
base::Result<MessagePage> NewestMessages(sqlite::Database& db, const std::string& id,
                                         int64_t max_tokens, size_t max_bytes = SIZE_MAX);

// The heads of the messages after number `after`, for summaries of a conversation: contents are cut
// to `characters`, contents of tools are empty, messages that changed on disk are left out.
base::Result<MessagePage> HeadsAfter(sqlite::Database& db, const std::string& id, int64_t after,
                                     int64_t characters, const PageLimits& limits);

// Adds checksums to rows from before kChecksumStep, at most `limit`. → their number.
base::Result<int64_t> AddChecksums(sqlite::Database& db, int64_t limit);

}  // namespace conversation
