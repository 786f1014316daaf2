// The messages of conversations in SQLite: appended one event at a time, read in pages whose cost
// is that of what is returned. Calls run inside the caller's transaction.
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

// What is read is what was written: a message whose row changed on the disk is left out, with the
// half that it had of a call and its result, and so are such fields; Database::TakeUnsoundRows
// names the rows.
struct MessagePage {
  std::vector<Message> messages;
  int64_t more = 0;  // the number of the first that did not fit; 0: all that was asked for
};
struct PageLimits {
  int64_t messages = INT64_MAX;
  size_t bytes = SIZE_MAX;  // EncodedBytes together; one message is always whole
};
// Pages are charged to their request (base::AnswerCharge) while they are read.
// Those from number `from` to `to`, in order. Rows behind the page are not read. The halves of a
// call and its result that one page has are looked at together.
base::Result<MessagePage> MessagesBetween(sqlite::Database& db, const std::string& id, int64_t from,
                                          int64_t to, const PageLimits& limits = {});
// The newest that fit `max_tokens` (characters / 3) and `max_bytes`: the system message is kept and
// no tool result stays whose call is left out. Reads from the newest backwards, no further than
// that takes. `more` names the newest that has no room in `max_bytes`; what the tokens leave out
// was asked to be.
base::Result<MessagePage> NewestMessages(sqlite::Database& db, const std::string& id,
                                         int64_t max_tokens, size_t max_bytes = SIZE_MAX);

// The heads of the messages behind number `after`, for who tells what a conversation was about:
// contents are cut to `characters`, those of tools are empty, messages that changed are left out.
base::Result<MessagePage> HeadsBehind(sqlite::Database& db, const std::string& id, int64_t after,
                                      int64_t characters, const PageLimits& limits);

// Gives rows from before there were checksums theirs, `limit` at most. → how many.
base::Result<int64_t> AddChecksums(sqlite::Database& db, int64_t limit);

}  // namespace conversation
