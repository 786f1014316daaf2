// Conversations in SQLite; their messages are messages.h. Used by the sidecar (state.db). Calls run
// inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/sqlite/database.h"

namespace conversation {

// The tables, as migration steps for sqlite::Migrate (the owner of the file joins them with its
// own).
extern const char* const kSchema;
extern const char* const kAgeStep;  // later migrations
extern const char* const kChecksumStep;
extern const char* const kErrorStep;
extern const char* const kSystemStep;
// Of a file with conversations of many owners: an index by owner, and the bytes of conversations.
extern const char* const kOwnerStep;
base::Result<int64_t> BytesOf(sqlite::Database& db, const std::string& id);

base::Result<Conversation> GetOrCreate(sqlite::Database& db, const std::string& id, int64_t now_ms);
base::Result<std::optional<Conversation>> Find(sqlite::Database& db, const std::string& id);
// The last used first; `state`: "" for all. No list is in memory as a whole: it is read in pages.
struct ListPage {
  int64_t behind = 0;  // the `more` of the page before; 0: from the last used on
  int64_t limit = 1'000;
  size_t bytes = SIZE_MAX;  // one conversation is always whole
  // Those whose id begins with it, a line end last; needs kOwnerStep. Empty: all.
  std::string owner = "";
};
struct ConversationPage {
  std::vector<Conversation> conversations;
  int64_t more = 0;  // where the next page begins; 0: there is none
};
base::Result<ConversationPage> List(sqlite::Database& db, const std::string& state,
                                    const ListPage& page = {});
// Those whose id begins with `owner`, a line end last, in order of ids behind `after`.
base::Result<std::vector<Conversation>> OwnedBehind(sqlite::Database& db, const std::string& owner,
                                                    const std::string& after, int64_t limit);
// As it is told, without its messages; it counts as the last used. False: there is one.
base::Result<bool> Restore(sqlite::Database& db, const Conversation& conversation);
// The newest open one; `owner` as in ListPage.
base::Result<std::optional<Conversation>> Current(sqlite::Database& db,
                                                  const std::string& owner = "");
base::Result<std::optional<Conversation>> Latest(sqlite::Database& db);  // newest of all
// Those in `state` that were last used at `before_ms` or earlier, the oldest first.
base::Result<std::vector<std::string>> UnusedSince(sqlite::Database& db, const std::string& state,
                                                   int64_t before_ms, int64_t limit);
// With its messages. What others keep about it is theirs to delete.
base::Status Remove(sqlite::Database& db, const std::string& id);
base::Status SetMemorySession(sqlite::Database& db, const std::string& id,
                              const std::string& session);
base::Status SetState(sqlite::Database& db, const std::string& id, const std::string& state);
base::Status SetFields(sqlite::Database& db, const std::string& id, const base::Json& fields);
base::Result<int64_t> NextTurn(sqlite::Database& db,
                               const std::string& id);  // counts one, → its number

}  // namespace conversation
