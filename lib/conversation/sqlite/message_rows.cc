// Statements of messages. A head selects only the beginning and the length of a content, so that a
// message of megabytes costs a page of its row and not its text.
#include <algorithm>
#include <utility>

#include "lib/conversation/page_builder.h"
#include "lib/conversation/sqlite/rows.h"

namespace conversation {
namespace {

using base::Result;
using base::Status;

// Macros, so that each statement below is one literal and compiled once.
#define MESSAGE_IS_SOUND                                                                           \
  " row_is_sound('messages', number, checksum, conversation, sequence, role, content, tool_calls," \
  " tool_call_id, created_ms)"
#define MESSAGES_OF(content)                                                       \
  "SELECT sequence, role, " content ", tool_calls, tool_call_id," MESSAGE_IS_SOUND \
  ", is_error, created_ms"
#define SCAN_OF(content) MESSAGES_OF(content) " FROM messages WHERE conversation = ?1"

Result<Message> ReadMessage(const sql::Statement& row) {
  Message message;
  message.sequence = row.Int(0);
  message.role = row.Text(1);
  message.content = row.Text(2);
  if (!row.IsNull(3)) {
    ASSIGN_OR_RETURN(message.tool_calls, DecodeCalls(row.Text(3)));
  }
  message.tool_call_id = row.Text(4);
  message.checksum_ok = row.Int(5) != 0;
  message.is_error = row.Int(6) != 0;
  message.created_ms = row.Int(7);
  return message;
}

Result<sql::Statement> PrepareScan(sql::Database& db, const std::string& id,
                                   const MessageScan& scan) {
  using Kind = MessageScan::Kind;
  const bool ranged = scan.kind == Kind::kAll || scan.kind == Kind::kHeads;
  ASSIGN_OR_RETURN(
      auto query,
      scan.kind == Kind::kSystem
          ? db.Prepare(SCAN_OF("content") " AND role = 'system' ORDER BY sequence")
      : scan.kind == Kind::kNewestOthers
          ? db.Prepare(SCAN_OF("content") " AND role <> 'system' ORDER BY sequence DESC")
      : scan.kind == Kind::kAll
          ? db.Prepare(SCAN_OF("content") " AND sequence >= ?2 AND sequence <= ?3"
                                          " ORDER BY sequence")
          : db.Prepare(SCAN_OF("CASE WHEN role = 'tool' THEN '' ELSE substr(content, "
                               "1, ?4) END") " AND sequence >= ?2 AND sequence <= "
                                             "?3 ORDER BY sequence"));
  query.Bind(id);
  if (ranged) query.Bind(scan.from).Bind(scan.to);
  if (scan.kind == Kind::kHeads) query.Bind(scan.head_characters);
  return query;
}

}  // namespace

Status SqliteRows::InsertMessages(const std::string& id, int64_t first, int64_t now_ms,
                                  const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    ASSIGN_OR_RETURN(
        auto insert,
        db_.Prepare("INSERT INTO messages(conversation, sequence, role, content, tool_calls,"
                    " tool_call_id, created_ms, is_error, checksum) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,"
                    " row_checksum(?1,?2,?3,?4,?5,?6,?7))"));
    insert.Bind(id).Bind(first++).Bind(message.role).Bind(message.content);
    if (message.tool_calls.is_null()) {
      insert.BindNull();
    } else {
      insert.Bind(base::DumpJson(message.tool_calls));
    }
    insert.Bind(message.tool_call_id);
    insert.Bind(message.created_ms != 0 ? message.created_ms : now_ms);
    RETURN_IF_ERROR(insert.Bind(int64_t{message.is_error}).Run());
  }
  return {};
}

Result<MessagePage> SqliteRows::ReadMessages(const std::string& id, const MessageScan& scan,
                                             const PageLimits& limits) {
  ASSIGN_OR_RETURN(auto query, PrepareScan(db_, id, scan));
  PageBuilder page(limits);
  RETURN_IF_ERROR(query.ForEachRow([&](const sql::Statement& row) -> Result<bool> {
    ASSIGN_OR_RETURN(Message message, ReadMessage(row));
    return page.Add(std::move(message));
  }));
  return page.Finish();
}

Result<std::vector<MessageCalls>> SqliteRows::ReadCalls(const std::string& id, int64_t to,
                                                        int64_t rows, size_t bytes) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare("SELECT sequence, tool_calls FROM messages"
                                           " WHERE conversation = ?1 AND sequence <= ?2 AND"
                                           " tool_calls IS NOT NULL ORDER BY sequence DESC"
                                           " LIMIT ?3"));
  query.Bind(id).Bind(to).Bind(rows);
  std::vector<MessageCalls> found;
  size_t read = 0;
  RETURN_IF_ERROR(query.ForEachRow([&](const sql::Statement& row) {
    found.push_back({row.Int(0), row.Text(1)});
    read += found.back().calls.size();
    return read <= bytes;
  }));
  return found;
}

Result<HeadPage> SqliteRows::ReadHeads(const std::string& id, int64_t after, int64_t to,
                                       const HeadLimits& limits) {
  ASSIGN_OR_RETURN(
      auto query,
      db_.Prepare(MESSAGES_OF(
          "substr(content, 1, ?4)") ", length(content) FROM messages"
                                    " WHERE conversation = ?1 AND sequence > ?2 AND sequence <= ?3"
                                    " ORDER BY sequence LIMIT ?5"));
  query.Bind(id).Bind(after).Bind(to).Bind(limits.head_characters).Bind(limits.messages);
  HeadPage page;
  int64_t rows = 0, characters = 0;
  bool full = false;
  RETURN_IF_ERROR(query.ForEachRow([&](const sql::Statement& row) -> Result<bool> {
    page.up_to = row.Int(0);
    if (row.Int(5) != 0) {
      BlockHead& head = page.heads.emplace_back();
      ASSIGN_OR_RETURN(head.message, ReadMessage(row));
      head.characters = row.Int(8);
    }
    characters += row.Int(8) + static_cast<int64_t>(row.Text(3).size());
    full = ++rows == limits.messages || characters >= limits.characters;
    return !full;
  }));
  if (!full) page.up_to = std::max(to, after);
  return page;
}

Result<std::vector<UserRequest>> SqliteRows::UserRequests(const std::string& id,
                                                          int64_t head_characters, int64_t limit) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT sequence, created_ms, substr(content, 1, ?2) FROM messages"
                               " WHERE conversation = ?1 AND role = 'user'"
                               " ORDER BY sequence DESC LIMIT ?3"));
  query.Bind(id).Bind(head_characters).Bind(limit);
  return query.ReadAll([](const sql::Statement& row) {
    return UserRequest{row.Int(0), row.Int(1), row.Text(2)};
  });
}

Result<int64_t> AddChecksums(sql::Database& db, int64_t limit) {
  ASSIGN_OR_RETURN(
      auto update,
      db.Prepare(
          "UPDATE messages SET checksum = row_checksum(conversation, sequence, role, content,"
          " tool_calls, tool_call_id, created_ms) WHERE number IN"
          " (SELECT number FROM messages WHERE checksum IS NULL ORDER BY number LIMIT ?1)"));
  RETURN_IF_ERROR(update.Bind(limit).Run());
  return db.Changes();
}

Status RemoveEmptyBlocks(sql::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto remove,
                   db.Prepare("DELETE FROM blocks WHERE conversation = ?1 AND last <"
                              " (SELECT min(sequence) FROM messages WHERE conversation = ?1"
                              " AND role <> 'system')"));
  return remove.Bind(conversation).Run();
}

}  // namespace conversation
