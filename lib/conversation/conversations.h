// Conversations in SQLite; messages.h has their messages. Used by the sidecar (state.db) and the
// memory server. Calls run inside the caller's transaction.
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
// For a file with conversations of many owners: an index by owner, and the bytes of conversations.
extern const char* const kOwnerStep;
base::Result<int64_t> BytesOf(sqlite::Database& db, const std::string& id);

base::Result<Conversation> GetOrCreate(sqlite::Database& db, const std::string& id, int64_t now_ms);
base::Result<std::optional<Conversation>> Find(sqlite::Database& db, const std::string& id);
// Lists conversations in pages, the last used first; `state`: "" for all.
struct ListPage {
  int64_t behind = 0;  // `more` of the previous page; 0: the first page
  int64_t limit = 1'000;
  size_t bytes = SIZE_MAX;  // a page has at least one conversation
  // Only ids with this prefix, whose last character is a line end; needs kOwnerStep. Empty: all.
  std::string owner = "";
};
struct ConversationPage {
  std::vector<Conversation> conversations;
  int64_t more = 0;  // cursor of the next page; 0: none
};
base::Result<ConversationPage> List(sqlite::Database& db, const std::string& state,
                                    const ListPage& page = {});
// Conversations whose ids begin with `owner` (see ListPage), in order of ids after `after`.
base::Result<std::vector<Conversation>> OwnedAfter(sqlite::Database& db, const std::string& owner,
                                                   const std::string& after, int64_t limit);
// Inserts an imported conversation, without messages, as the last used one. False: it exists.
base::Result<bool> Restore(sqlite::Database& db, const Conversation& conversation);
// The last used open conversation; `owner` as in ListPage.
base::Result<std::optional<Conversation>> Current(sqlite::Database& db,
                                                  const std::string& owner = "");
base::Result<std::optional<Conversation>> Latest(sqlite::Database& db);  // last used of all
// Ids of conversations in `state` that were last used at `before_ms` or earlier, the oldest first.
base::Result<std::vector<std::string>> UnusedSince(sqlite::Database& db, const std::string& state,
                                                   int64_t before_ms, int64_t limit);
// Removes a conversation and its messages; the caller removes other rows about it.
base::Status Remove(sqlite::Database& db, const std::string& id);
base::Status SetMemorySession(sqlite::Database& db, const std::string& id,
                              const std::string& session);
base::Status SetState(sqlite::Database& db, const std::string& id, const std::string& state);
base::Status SetFields(sqlite::Database& db, const std::string& id, const base::Json& fields);
base::Result<int64_t> NextTurn(sqlite::Database& db,
                               const std::string& id);  // increments, → the new number

}  // namespace conversation
