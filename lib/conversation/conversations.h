// Working memory: conversations and their messages in SQLite, appended and committed one event at a
// time. Used by the sidecar (state.db) and the server. Calls run inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace conversation {

struct Message {
  int64_t sequence = 0;  // 1.. within the conversation
  std::string role;      // user, assistant, tool, system
  std::string content;
  base::Json tool_calls;     // array, or null
  std::string tool_call_id;  // of a tool result
  bool is_error = false;     // the result of a call that failed
  bool sound = true;         // false: not what was written; only inside lib/conversation
};

struct Conversation {
  std::string id, memory_session_id, state;  // state: open | ended
  int64_t created_ms = 0, updated_ms = 0;
  int64_t message_count = 0;
  int64_t turn = 0;  // count of user messages that came as UserPromptSubmit
  base::Json fields =
      base::Json::object();  // what the runtime keeps beside the messages: toolMeta, delegation, …
};

// The tables, as migration steps for sqlite::Migrate (the owner of the file joins them with its
// own).
extern const char* const kSchema;
extern const char* const kAgeStep;  // later migrations
extern const char* const kChecksumStep;
extern const char* const kErrorStep;
extern const char* const kSystemStep;

base::Result<Conversation> GetOrCreate(sqlite::Database& db, const std::string& id, int64_t now_ms);
base::Result<std::optional<Conversation>> Find(sqlite::Database& db, const std::string& id);
// The last used first; `state`: "" for all. No list is in memory as a whole: it is read in pages.
struct ListPage {
  int64_t behind = 0;  // the `more` of the page before; 0: from the last used on
  int64_t limit = 1'000;
  size_t bytes = SIZE_MAX;  // one conversation is always whole
};
struct ConversationPage {
  std::vector<Conversation> conversations;
  int64_t more = 0;  // where the next page begins; 0: there is none
};
base::Result<ConversationPage> List(sqlite::Database& db, const std::string& state,
                                    const ListPage& page = {});
base::Result<std::optional<Conversation>> Current(sqlite::Database& db);  // newest open one
base::Result<std::optional<Conversation>> Latest(sqlite::Database& db);   // newest of all
// Those in `state` that were last used at `before_ms` or earlier, the oldest first.
base::Result<std::vector<std::string>> UnusedSince(sqlite::Database& db, const std::string& state,
                                                   int64_t before_ms, int64_t limit);
// With its messages. What others keep about it is theirs to delete.
base::Status Remove(sqlite::Database& db, const std::string& id);
base::Status SetMemorySession(sqlite::Database& db, const std::string& id,
                              const std::string& session);
base::Status SetState(sqlite::Database& db, const std::string& id, const std::string& state);
base::Status SetFields(sqlite::Database& db, const std::string& id, const base::Json& fields);
// What a runtime keeps beside the messages, over `fields`: in toolMeta call by call, any other key
// as a whole; null takes a call or a key out. Pure. kTooLarge over kMaxFieldsBytes.
inline constexpr size_t kMaxFieldsBytes = 1 << 20;
base::Result<base::Json> MergeFields(base::Json fields, const base::Json& changes);
base::Result<int64_t> NextTurn(sqlite::Database& db,
                               const std::string& id);  // counts one, → its number
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

// Pure: the messages without those that are not sound, and without the results of their calls and
// the calls of their results, since models refuse halves.
std::vector<Message> WithoutUnsound(std::vector<Message> messages);
// Pure: an estimate, characters / 3, and the ids of the calls that a message makes.
int64_t Tokens(const Message& message);
size_t EncodedBytes(const Message& message);  // its JSON has at most so many
std::set<std::string> CallIds(const base::Json& tool_calls);

// {"messages": [{role, content, tool_calls?, tool_call_id?, is_error?}]} of POST …/messages.
base::Result<std::vector<Message>> DecodeMessages(const base::Json& body);
base::Json EncodeMessage(const Message& message);
base::Json EncodeConversation(const Conversation& conversation);

}  // namespace conversation
