// The statements on messages, and the choice of messages within a token budget.
#include "lib/conversation/messages.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/limits/answer_charge.h"
#include "lib/conversation/conversations.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

// How far back Orphans searches the calls of results. Calls and results are close together; a call
// further back counts as left out.
constexpr int64_t kMaxCallsRead = 1'000;
constexpr size_t kMaxCallBytesRead = 4 << 20;

// A macro, so that each statement below is one literal and compiled once.
#define MESSAGES_OF                                                                                \
  "SELECT sequence, role, content, tool_calls, tool_call_id,"                                      \
  " row_is_sound('messages', number, checksum, conversation, sequence, role, content, tool_calls," \
  " tool_call_id, created_ms), is_error, created_ms FROM messages WHERE conversation = ?"

Result<Message> ReadMessage(const sqlite::Statement& row) {
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

// Reads the rows of `query` that fit.
Result<MessagePage> ReadPage(sqlite::Statement& query, const PageLimits& limits) {
  MessagePage page;
  size_t bytes = 0;
  base::AnswerCharge charge;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Result<bool> {
    ASSIGN_OR_RETURN(Message message, ReadMessage(row));
    const size_t needs = EncodedBytes(message);
    RETURN_IF_ERROR(charge.Add(needs));
    bytes += needs;
    const bool fits = std::ssize(page.messages) < limits.messages && bytes <= limits.bytes;
    if (!fits && !page.messages.empty()) {
      page.more = message.sequence;
      return false;
    }
    page.messages.push_back(std::move(message));
    return true;
  }));
  return page;
}

struct Newest {
  std::vector<Message> messages;  // the newest first
  int64_t left_out = 0;           // sequence of the newest without room; 0: none
  bool by_bytes = false;          // left out by bytes, while tokens remained
};

Result<Newest> ReadNewest(sqlite::Database& db, const std::string& id, int64_t tokens,
                          size_t bytes) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare(MESSAGES_OF " AND role <> 'system' ORDER BY sequence DESC"));
  query.Bind(id);
  Newest newest;
  if (tokens < 0) return newest;
  base::AnswerCharge charge;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Result<bool> {
    ASSIGN_OR_RETURN(Message message, ReadMessage(row));
    tokens -= message.checksum_ok ? Tokens(message) : 0;
    const size_t needs = EncodedBytes(message);
    RETURN_IF_ERROR(charge.Add(needs));
    if (tokens < 0 || needs > bytes) {
      newest.left_out = message.sequence;
      newest.by_bytes = tokens >= 0;
      return false;
    }
    bytes -= needs;
    newest.messages.push_back(std::move(message));
    return true;
  }));
  return newest;
}

// The ids of results whose call is left out. Hooks may send results without any call, which are no
// orphans; to tell them apart, this searches the calls, one at a time.
Result<std::set<std::string>> Orphans(sqlite::Database& db, const std::string& id,
                                      const Newest& newest) {
  std::set<std::string> lone, orphans;
  for (const Message& message : newest.messages) {
    if (message.role == "tool") lone.insert(message.tool_call_id);
  }
  for (const Message& message : newest.messages) {
    for (const std::string& call : CallIds(message.tool_calls)) lone.erase(call);
  }
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT tool_calls FROM messages WHERE conversation = ?"
                                          " AND sequence <= ? AND tool_calls IS NOT NULL"
                                          " ORDER BY sequence DESC"));
  query.Bind(id).Bind(newest.left_out);
  size_t bytes = 0;
  for (int64_t row = 0; !lone.empty(); ++row) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) break;
    const std::string calls = query.Text(0);
    bytes += calls.size();
    if (row >= kMaxCallsRead || bytes > kMaxCallBytesRead) {
      orphans.merge(lone);
      break;
    }
    ASSIGN_OR_RETURN(const Json read, base::ParseStored(calls, Json()));
    for (const std::string& call : CallIds(read)) {
      if (lone.erase(call) > 0) orphans.insert(call);
    }
  }
  return orphans;
}

Status Insert(sqlite::Database& db, const std::string& id, int64_t sequence, const Message& message,
              int64_t now_ms) {
  ASSIGN_OR_RETURN(
      auto insert,
      db.Prepare("INSERT INTO messages(conversation, sequence, role, content, tool_calls,"
                 " tool_call_id, created_ms, is_error, checksum) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,"
                 " row_checksum(?1,?2,?3,?4,?5,?6,?7))"));
  insert.Bind(id).Bind(sequence).Bind(message.role).Bind(message.content);
  if (message.tool_calls.is_null()) {
    insert.BindNull();
  } else {
    insert.Bind(base::DumpJson(message.tool_calls));
  }
  insert.Bind(message.tool_call_id).Bind(now_ms);
  return insert.Bind(int64_t{message.is_error}).Run();
}

}  // namespace

Result<int64_t> Append(sqlite::Database& db, const std::string& id,
                       const std::vector<Message>& messages, int64_t now_ms) {
  ASSIGN_OR_RETURN(const Conversation conversation, GetOrCreate(db, id, now_ms));
  int64_t last = conversation.message_count;  // the last sequence: no message is deleted alone
  for (const Message& message : messages) {
    const int64_t created_ms = message.created_ms != 0 ? message.created_ms : now_ms;
    RETURN_IF_ERROR(Insert(db, id, ++last, message, created_ms));
  }
  ASSIGN_OR_RETURN(
      auto update,
      db.Prepare("UPDATE conversations SET message_count = ?, updated_ms = ?,"
                 " touched = (SELECT max(touched) + 1 FROM conversations) WHERE id = ?"));
  RETURN_IF_ERROR(update.Bind(last).Bind(now_ms).Bind(id).Run());
  return last;
}

Result<MessagePage> MessagesBetween(sqlite::Database& db, const std::string& id, int64_t from,
                                    int64_t to, const PageLimits& limits) {
  ASSIGN_OR_RETURN(
      auto query, db.Prepare(MESSAGES_OF " AND sequence >= ? AND sequence <= ? ORDER BY sequence"));
  query.Bind(id).Bind(from).Bind(to);
  ASSIGN_OR_RETURN(MessagePage page, ReadPage(query, limits));
  page.messages = DropCorrupt(std::move(page.messages));
  return page;
}

Result<MessagePage> HeadsAfter(sqlite::Database& db, const std::string& id, int64_t after,
                               int64_t characters, const PageLimits& limits) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare(
          "SELECT sequence, role, iif(role = 'tool', '', substr(content, 1, ?3)),"
          " tool_calls, tool_call_id,"
          " row_is_sound('messages', number, checksum, conversation, sequence, role, content,"
          " tool_calls, tool_call_id, created_ms), is_error, created_ms FROM messages"
          " WHERE conversation = ?1 AND sequence > ?2 ORDER BY sequence"));
  query.Bind(id).Bind(after).Bind(characters);
  ASSIGN_OR_RETURN(MessagePage page, ReadPage(query, limits));
  std::erase_if(page.messages, [](const Message& message) { return !message.checksum_ok; });
  return page;
}

Result<MessagePage> NewestMessages(sqlite::Database& db, const std::string& id, int64_t max_tokens,
                                   size_t max_bytes) {
  ASSIGN_OR_RETURN(auto system, db.Prepare(MESSAGES_OF " AND role = 'system' ORDER BY sequence"));
  system.Bind(id);
  ASSIGN_OR_RETURN(MessagePage stay, ReadPage(system, {INT64_MAX, max_bytes}));
  int64_t tokens = max_tokens;
  for (const Message& message : stay.messages) {
    tokens -= Tokens(message);
    max_bytes -= std::min(max_bytes, EncodedBytes(message));
  }
  if (stay.more != 0) max_bytes = 0;
  ASSIGN_OR_RETURN(Newest newest, ReadNewest(db, id, tokens, max_bytes));
  ASSIGN_OR_RETURN(const auto orphans, Orphans(db, id, newest));
  for (Message& message : newest.messages) {
    const bool orphan = message.role == "tool" && orphans.contains(message.tool_call_id);
    if (!orphan) stay.messages.push_back(std::move(message));
  }
  if (newest.by_bytes) stay.more = newest.left_out;
  std::ranges::sort(stay.messages, {}, &Message::sequence);
  stay.messages = DropCorrupt(std::move(stay.messages));
  return stay;
}

Result<int64_t> AddChecksums(sqlite::Database& db, int64_t limit) {
  ASSIGN_OR_RETURN(
      auto update,
      db.Prepare(
          "UPDATE messages SET checksum = row_checksum(conversation, sequence, role, content,"
          " tool_calls, tool_call_id, created_ms) WHERE number IN"
          " (SELECT number FROM messages WHERE checksum IS NULL ORDER BY number LIMIT ?)"));
  RETURN_IF_ERROR(update.Bind(limit).Run());
  return db.Changes();
}

}  // namespace conversation
