// The tables, and the statements on conversations.
#include "lib/conversation/conversations.h"

#include <iterator>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/limits/answer_charge.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

// A macro, so that each statement below is one literal and compiled once.
#define CONVERSATION_COLUMNS                                                           \
  "id, memory_session_id, state, created_ms, updated_ms, message_count, turn, fields," \
  " row_is_sound('conversations', rowid, fields_checksum, id, fields), touched"

#define CONVERSATION_OWNER "substr(id, 1, instr(id, char(10)))"

constexpr int kFieldsColumn = 7, kTouchedColumn = 9;
constexpr size_t kBesideFields = 1'000;  // bytes of a conversation's JSON beside its fields

Result<Conversation> ReadConversation(const sqlite::Statement& row) {
  Conversation conversation;
  conversation.id = row.Text(0);
  conversation.memory_session_id = row.Text(1);
  conversation.state = row.Text(2);
  conversation.created_ms = row.Int(3);
  conversation.updated_ms = row.Int(4);
  conversation.message_count = row.Int(5);
  conversation.turn = row.Int(6);
  const bool sound = row.Int(8) != 0;
  if (!sound) return conversation;
  ASSIGN_OR_RETURN(conversation.fields, base::ParseStored(row.Text(kFieldsColumn), Json::object()));
  return conversation;
}

Result<std::optional<Conversation>> FirstConversation(sqlite::Statement query) {
  ASSIGN_OR_RETURN(const bool there, query.Step());
  if (!there) return std::optional<Conversation>();
  ASSIGN_OR_RETURN(Conversation found, ReadConversation(query));
  return std::optional(std::move(found));
}

Status UpdateText(sqlite::Database& db, std::string_view sql, std::string_view value,
                  const std::string& id) {
  ASSIGN_OR_RETURN(auto update, db.Prepare(sql));
  RETURN_IF_ERROR(update.Bind(value).Bind(id).Run());
  if (db.Changes() == 0) return base::Error{base::Code::kNotFound, "no conversation " + id};
  return {};
}

}  // namespace

const char* const kSchema = R"sql(
CREATE TABLE conversations(
  id TEXT PRIMARY KEY NOT NULL,
  memory_session_id TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'open' CHECK(state IN ('open', 'ended')),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0,
  fields TEXT NOT NULL DEFAULT '{}',
  touched INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX conversation_by_use ON conversations(touched);
CREATE TABLE messages(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation TEXT NOT NULL REFERENCES conversations(id),
  sequence INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  tool_calls TEXT,
  tool_call_id TEXT NOT NULL DEFAULT '',
  created_ms INTEGER NOT NULL,
  UNIQUE(conversation, sequence)
) STRICT;
)sql";

const char* const kAgeStep = "CREATE INDEX conversation_by_age ON conversations(state, updated_ms)";

// Existing messages may be many: AddChecksums adds their checksums in batches.
const char* const kChecksumStep = R"sql(
ALTER TABLE messages ADD COLUMN checksum INTEGER;
CREATE INDEX message_without_checksum ON messages(number) WHERE checksum IS NULL;
ALTER TABLE conversations ADD COLUMN fields_checksum INTEGER;
UPDATE conversations SET fields_checksum = row_checksum(id, fields);
)sql";

const char* const kErrorStep =
    "ALTER TABLE messages ADD COLUMN is_error INTEGER NOT NULL DEFAULT 0";

// A trim keeps all system messages and must not scan every message for them.
const char* const kSystemStep =
    "CREATE INDEX system_messages ON messages(conversation, sequence) WHERE role = 'system'";

const char* const kOwnerStep = R"sql(
CREATE INDEX conversation_by_owner ON conversations()sql" CONVERSATION_OWNER R"sql(, touched);
CREATE TABLE conversation_bytes(
  conversation TEXT PRIMARY KEY NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER messages_weighed AFTER INSERT ON messages BEGIN
  INSERT INTO conversation_bytes VALUES(new.conversation,
      length(CAST(new.content AS BLOB)) + coalesce(length(CAST(new.tool_calls AS BLOB)), 0) + 100)
    ON CONFLICT(conversation) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
)sql";

Result<Conversation> GetOrCreate(sqlite::Database& db, const std::string& id, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto found, Find(db, id));
  if (found) return std::move(*found);
  {
    // The order of use is a counter, not the clock, which may go back.
    ASSIGN_OR_RETURN(
        auto insert,
        db.Prepare("INSERT INTO conversations(id, created_ms, updated_ms, touched) VALUES"
                   "(?,?,?,(SELECT coalesce(max(touched), 0) + 1 FROM conversations))"));
    RETURN_IF_ERROR(insert.Bind(id).Bind(now_ms).Bind(now_ms).Run());
  }
  Conversation made;
  made.id = id;
  made.state = "open";
  made.created_ms = made.updated_ms = now_ms;
  return made;
}

Result<std::optional<Conversation>> Find(sqlite::Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations WHERE id = ?"));
  query.Bind(id);
  return FirstConversation(std::move(query));
}

Result<ConversationPage> List(sqlite::Database& db, const std::string& state,
                              const ListPage& page) {
  ASSIGN_OR_RETURN(auto query,
                   page.owner.empty()
                       ? db.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                                    " WHERE (?1 = '' OR state = ?1) AND touched < ?2"
                                    " ORDER BY touched DESC")
                       : db.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                                    " WHERE (?1 = '' OR state = ?1) AND touched < ?2"
                                    " AND " CONVERSATION_OWNER " = ?3 ORDER BY touched DESC"));
  query.Bind(state).Bind(page.behind > 0 ? page.behind : INT64_MAX);
  if (!page.owner.empty()) query.Bind(page.owner);
  ConversationPage found;
  size_t bytes = 0;
  int64_t last = 0;
  base::AnswerCharge charge;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Result<bool> {
    const size_t row_bytes = kBesideFields + base::WeightOfText(row.Text(kFieldsColumn));
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    const bool fits = std::ssize(found.conversations) < page.limit && bytes <= page.bytes;
    if (!fits && !found.conversations.empty()) {
      found.more = last;
      return false;
    }
    ASSIGN_OR_RETURN(Conversation one, ReadConversation(row));
    found.conversations.push_back(std::move(one));
    last = row.Int(kTouchedColumn);
    return true;
  }));
  return found;
}

Result<std::vector<Conversation>> OwnedAfter(sqlite::Database& db, const std::string& owner,
                                             const std::string& after, int64_t limit) {
  std::string end = owner;
  ++end.back();
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                              " WHERE id > ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4"));
  query.Bind(after).Bind(owner).Bind(end).Bind(limit);
  std::vector<Conversation> found;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Status {
    ASSIGN_OR_RETURN(Conversation one, ReadConversation(row));
    found.push_back(std::move(one));
    return {};
  }));
  return found;
}

Result<bool> Restore(sqlite::Database& db, const Conversation& conversation) {
  ASSIGN_OR_RETURN(const auto found, Find(db, conversation.id));
  if (found) return false;
  ASSIGN_OR_RETURN(
      auto insert,
      db.Prepare("INSERT INTO conversations(id, memory_session_id, state, created_ms, updated_ms,"
                 " turn, touched) VALUES"
                 "(?,?,?,?,?,?,(SELECT coalesce(max(touched), 0) + 1 FROM conversations))"));
  insert.Bind(conversation.id).Bind(conversation.memory_session_id).Bind(conversation.state);
  insert.Bind(conversation.created_ms).Bind(conversation.updated_ms).Bind(conversation.turn);
  RETURN_IF_ERROR(insert.Run());
  RETURN_IF_ERROR(SetFields(db, conversation.id, conversation.fields));
  return true;
}

Result<std::optional<Conversation>> Current(sqlite::Database& db, const std::string& owner) {
  ASSIGN_OR_RETURN(auto query,
                   owner.empty() ? db.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                                              " WHERE state = 'open' ORDER BY touched DESC LIMIT 1")
                                 : db.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                                              " WHERE state = 'open' AND " CONVERSATION_OWNER
                                              " = ? ORDER BY touched DESC LIMIT 1"));
  if (!owner.empty()) query.Bind(owner);
  return FirstConversation(std::move(query));
}

Result<int64_t> BytesOf(sqlite::Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT bytes FROM conversation_bytes WHERE conversation = ?"));
  ASSIGN_OR_RETURN(const bool there, query.Bind(id).Step());
  return there ? query.Int(0) : int64_t{0};
}

Result<std::optional<Conversation>> Latest(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                                          " ORDER BY touched DESC LIMIT 1"));
  return FirstConversation(std::move(query));
}

Result<std::vector<std::string>> UnusedSince(sqlite::Database& db, const std::string& state,
                                             int64_t before_ms, int64_t limit) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT id FROM conversations WHERE state = ? AND updated_ms <= ?"
                              " ORDER BY updated_ms LIMIT ?"));
  query.Bind(state).Bind(before_ms).Bind(limit);
  return query.ReadAll([](const sqlite::Statement& row) { return row.Text(0); });
}

Status Remove(sqlite::Database& db, const std::string& id) {
  {
    ASSIGN_OR_RETURN(auto messages, db.Prepare("DELETE FROM messages WHERE conversation = ?"));
    RETURN_IF_ERROR(messages.Bind(id).Run());
  }
  ASSIGN_OR_RETURN(auto conversation, db.Prepare("DELETE FROM conversations WHERE id = ?"));
  return conversation.Bind(id).Run();
}

Status SetMemorySession(sqlite::Database& db, const std::string& id, const std::string& session) {
  return UpdateText(db, "UPDATE conversations SET memory_session_id = ? WHERE id = ?", session, id);
}

Status SetState(sqlite::Database& db, const std::string& id, const std::string& state) {
  return UpdateText(db, "UPDATE conversations SET state = ? WHERE id = ?", state, id);
}

Status SetFields(sqlite::Database& db, const std::string& id, const Json& fields) {
  return UpdateText(db,
                    "UPDATE conversations SET fields = ?1, fields_checksum = row_checksum(id, ?1)"
                    " WHERE id = ?2",
                    base::DumpJson(fields), id);
}

Result<int64_t> NextTurn(sqlite::Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(auto update, db.Prepare("UPDATE conversations SET turn = turn + 1 WHERE id = ?"
                                           " RETURNING turn"));
  update.Bind(id);
  ASSIGN_OR_RETURN(const bool found, update.Step());
  if (!found) return base::Error{base::Code::kNotFound, "no conversation " + id};
  const int64_t turn = update.Int(0);
  RETURN_IF_ERROR(update.Run());
  return turn;
}

}  // namespace conversation
