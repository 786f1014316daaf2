// "Last used" is the order of a counter (`touched`), not of the wall clock, which may go back: the
// current conversation must not change because the clock was set.
#include <iterator>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/limits/answer_charge.h"
#include "lib/conversation/sqlite/rows.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

// Macros, so that each statement below is one literal and compiled once.
#define CONVERSATION_COLUMNS                                                           \
  "id, memory_session_id, state, created_ms, updated_ms, message_count, turn, fields," \
  " row_is_sound('conversations', rowid, fields_checksum, id, fields), touched"
#define CONVERSATION_OWNER "substr(id, 1, instr(id, char(10)))"  // the indexed one of kOwnerStep

constexpr int kFieldsColumn = 7, kTouchedColumn = 9;
constexpr size_t kBesideFields = 1'000;  // bytes of a conversation's JSON beside its fields

Result<Conversation> ReadConversation(const sql::Statement& row) {
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

Result<std::optional<Conversation>> FirstConversation(sql::Statement& query) {
  ASSIGN_OR_RETURN(const bool there, query.Step());
  if (!there) return std::optional<Conversation>();
  ASSIGN_OR_RETURN(Conversation found, ReadConversation(query));
  return std::optional(std::move(found));
}

// A block's compact form is deleted by cascade.
constexpr const char* kManyRows[] = {
    "DELETE FROM messages WHERE number IN"
    " (SELECT number FROM messages WHERE conversation = ?1 LIMIT ?2)",
    "DELETE FROM blocks WHERE number IN"
    " (SELECT number FROM blocks WHERE conversation = ?1 LIMIT ?2)",
    "DELETE FROM checkpoints WHERE number IN"
    " (SELECT number FROM checkpoints WHERE conversation = ?1 LIMIT ?2)",
    "DELETE FROM ledger WHERE conversation = ?1 AND item IN"
    " (SELECT item FROM ledger WHERE conversation = ?1 LIMIT ?2)"};
constexpr const char* kOneRow[] = {"DELETE FROM task_states WHERE conversation = ?1",
                                   "DELETE FROM conversation_bytes WHERE conversation = ?1",
                                   "DELETE FROM conversations WHERE id = ?1"};

}  // namespace

Rows::Found<Conversation> SqliteRows::FindConversation(const std::string& id) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations WHERE id = ?1"));
  query.Bind(id);
  return FirstConversation(query);
}

Status SqliteRows::InsertConversation(const Conversation& conversation) {
  ASSIGN_OR_RETURN(
      auto insert,
      db_.Prepare("INSERT INTO conversations(id, memory_session_id, state, created_ms, updated_ms,"
                  " turn, fields, fields_checksum, touched) VALUES(?1,?2,?3,?4,?5,?6,?7,"
                  " row_checksum(?1, ?7), (SELECT coalesce(max(touched), 0) + 1 FROM"
                  " conversations))"));
  insert.Bind(conversation.id).Bind(conversation.memory_session_id).Bind(conversation.state);
  insert.Bind(conversation.created_ms).Bind(conversation.updated_ms).Bind(conversation.turn);
  return insert.Bind(base::DumpJson(conversation.fields)).Run();
}

Status SqliteRows::UpdateConversation(const std::string& id, const ConversationChange& change) {
  const auto update = [&](std::string_view sql, const auto&... values) -> Status {
    ASSIGN_OR_RETURN(auto statement, db_.Prepare(sql));
    statement.Bind(id);
    (statement.Bind(values), ...);
    RETURN_IF_ERROR(statement.Run());
    if (db_.Changes() > 0) return {};
    return base::Error{base::Code::kNotFound, "no conversation " + id};
  };
  if (change.memory_session_id)
    RETURN_IF_ERROR(update("UPDATE conversations SET memory_session_id = ?2 WHERE id = ?1",
                           *change.memory_session_id));
  if (change.state)
    RETURN_IF_ERROR(update("UPDATE conversations SET state = ?2 WHERE id = ?1", *change.state));
  if (change.fields)
    RETURN_IF_ERROR(
        update("UPDATE conversations SET fields = ?2, fields_checksum ="
               " row_checksum(id, ?2) WHERE id = ?1",
               base::DumpJson(*change.fields)));
  if (change.turn)
    RETURN_IF_ERROR(update("UPDATE conversations SET turn = ?2 WHERE id = ?1", *change.turn));
  if (change.used)
    RETURN_IF_ERROR(
        update("UPDATE conversations SET message_count = ?2, updated_ms = ?3,"
               " touched = (SELECT max(touched) + 1 FROM conversations) WHERE id = ?1",
               change.used->message_count, change.used->at_ms));
  return {};
}

Result<ConversationPage> SqliteRows::ListConversations(const std::string& state,
                                                       const ListPage& page) {
  ASSIGN_OR_RETURN(auto query,
                   page.owner.empty()
                       ? db_.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                                     " WHERE (?1 = '' OR state = ?1) AND touched < ?2"
                                     " ORDER BY touched DESC")
                       : db_.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                                     " WHERE (?1 = '' OR state = ?1) AND touched < ?2"
                                     " AND " CONVERSATION_OWNER " = ?3 ORDER BY touched DESC"));
  query.Bind(state).Bind(page.behind > 0 ? page.behind : INT64_MAX);
  if (!page.owner.empty()) query.Bind(page.owner);
  ConversationPage found;
  size_t bytes = 0;
  int64_t last = 0;
  base::AnswerCharge charge;
  RETURN_IF_ERROR(query.ForEachRow([&](const sql::Statement& row) -> Result<bool> {
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

Result<std::vector<Conversation>> SqliteRows::OwnedConversations(const std::string& owner,
                                                                 const std::string& after,
                                                                 int64_t limit) {
  std::string end = owner;
  ++end.back();
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT " CONVERSATION_COLUMNS " FROM conversations"
                               " WHERE id > ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4"));
  query.Bind(after).Bind(owner).Bind(end).Bind(limit);
  std::vector<Conversation> found;
  RETURN_IF_ERROR(query.ForEachRow([&](const sql::Statement& row) -> Status {
    ASSIGN_OR_RETURN(found.emplace_back(), ReadConversation(row));
    return {};
  }));
  return found;
}

Rows::Found<Conversation> SqliteRows::LastUsed(const std::string& state, const std::string& owner) {
  const auto prepare = [&] {
    if (state.empty())
      return db_.Prepare("SELECT " CONVERSATION_COLUMNS
                         " FROM conversations"
                         " ORDER BY touched DESC LIMIT 1");
    if (owner.empty())
      return db_.Prepare("SELECT " CONVERSATION_COLUMNS
                         " FROM conversations"
                         " WHERE state = ?1 ORDER BY touched DESC LIMIT 1");
    return db_.Prepare("SELECT " CONVERSATION_COLUMNS
                       " FROM conversations WHERE state = ?1"
                       " AND " CONVERSATION_OWNER " = ?2 ORDER BY touched DESC LIMIT 1");
  };
  ASSIGN_OR_RETURN(auto query, prepare());
  if (!state.empty()) query.Bind(state);
  if (!state.empty() && !owner.empty()) query.Bind(owner);
  return FirstConversation(query);
}

Result<std::vector<std::string>> SqliteRows::UnusedSince(const std::string& state,
                                                         int64_t before_ms, int64_t limit) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT id FROM conversations WHERE state = ?1 AND updated_ms <= ?2"
                               " ORDER BY updated_ms LIMIT ?3"));
  query.Bind(state).Bind(before_ms).Bind(limit);
  return query.ReadAll([](const sql::Statement& row) { return row.Text(0); });
}

Result<int64_t> SqliteRows::BytesOf(const std::string& id) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT bytes FROM conversation_bytes WHERE conversation = ?1"));
  ASSIGN_OR_RETURN(const bool there, query.Bind(id).Step());
  return there ? query.Int(0) : int64_t{0};
}

Result<RemovedRows> SqliteRows::RemoveRows(const std::string& id, int64_t limit) {
  RemovedRows removed;
  for (const char* sql : kManyRows) {
    ASSIGN_OR_RETURN(auto remove, db_.Prepare(sql));
    RETURN_IF_ERROR(remove.Bind(id).Bind(limit - removed.rows).Run());
    removed.rows += db_.Changes();
    if (removed.rows >= limit) return removed;
  }
  for (const char* sql : kOneRow) {
    ASSIGN_OR_RETURN(auto remove, db_.Prepare(sql));
    RETURN_IF_ERROR(remove.Bind(id).Run());
    removed.rows += db_.Changes();
  }
  removed.all = true;
  return removed;
}

}  // namespace conversation
