// Conversations and their messages: appended one event at a time, read in pages whose cost depends
// only on the returned rows. Reads leave out messages that changed on disk, with the other half of
// a call and its result. Calls run inside the caller's transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/rows.h"

namespace conversation {

base::Result<Conversation> GetOrCreate(Rows& rows, const std::string& id, int64_t now_ms);
// Inserts an imported conversation, without messages, as the last used one. False: it exists.
base::Result<bool> Restore(Rows& rows, const Conversation& conversation);

// Creates a missing conversation, and makes it the last used one. → last sequence
base::Result<int64_t> Append(Rows& rows, const std::string& id,
                             const std::vector<Message>& messages, int64_t now_ms);

// The messages from number `from` to `to`, in order, charged to the thread's request
// (base::AnswerCharge). Does not read rows after the page. A call and its result are matched only
// if the same page has both.
base::Result<MessagePage> MessagesBetween(Rows& rows, const std::string& id, int64_t from,
                                          int64_t to, const PageLimits& limits = {});
// The newest messages that fit `max_tokens` (characters / 3) and `max_bytes`, with the system
// messages and without tool results whose call is left out. Reads backwards, no further than
// necessary. `more`: the newest message without room in `max_bytes`; messages beyond the tokens do
// not count.
base::Result<MessagePage> NewestMessages(Rows& rows, const std::string& id, int64_t max_tokens,
                                         size_t max_bytes = SIZE_MAX);
// The heads of the messages after number `after`, for summaries of a conversation: contents are cut
// to `characters`, contents of tools are empty, messages that changed on disk are left out.
base::Result<MessagePage> HeadsAfter(Rows& rows, const std::string& id, int64_t after,
                                     int64_t characters, const PageLimits& limits);

inline constexpr size_t kMostMessagesBytes = 8 << 20;  // of one answer, with the fields

// Selects messages: the newest that fit `max_tokens`, or a range of numbers, in pages.
struct MessageQuestion {
  int64_t max_tokens = 0;  // 0: a range
  int64_t from = 1, to = INT64_MAX;
  std::optional<int64_t> newest;  // the number of messages up to `to`, instead of `from`
  PageLimits limits;
};
// At most kMostMessagesBytes with the fields of `found`.
base::Result<MessagePage> ReadMessages(Rows& rows, const Conversation& found,
                                       MessageQuestion question);
// Encodes the messages as JSON; ReadMessages has charged them to the memory budget. Call it after
// the transaction, so that other readers do not wait for it.
base::Json EncodeMessages(const MessagePage& page);

}  // namespace conversation
