// Which messages of a conversation stay inside a token budget: read from the newest backwards, so
// that the cost is that of what stays, however long the conversation is.
#include <algorithm>
#include <utility>

#include "lib/conversation/conversations.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

// A macro, so that each statement below is one literal and compiled once.
#define MESSAGES_OF                                                                                \
  "SELECT sequence, role, content, tool_calls, tool_call_id,"                                      \
  " row_is_sound('messages', number, checksum, conversation, sequence, role, content, tool_calls," \
  " tool_call_id, created_ms), is_error FROM messages WHERE conversation = ?"

Message ReadMessage(const sqlite::Statement& row) {
  Message message;
  message.sequence = row.Int(0);
  message.role = row.Text(1);
  message.content = row.Text(2);
  if (!row.IsNull(3)) message.tool_calls = base::ParseJson(row.Text(3)).value_or(Json());
  message.tool_call_id = row.Text(4);
  message.sound = row.Int(5) != 0;
  message.is_error = row.Int(6) != 0;
  return message;
}

Result<std::vector<Message>> ReadAll(sqlite::Statement& query) {
  std::vector<Message> messages;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return messages;
    messages.push_back(ReadMessage(query));
  }
}

struct Newest {
  std::vector<Message> messages;  // the newest first
  int64_t left_out = 0;           // the sequence of the first that has no room; 0: all have
};

Result<Newest> ReadNewest(sqlite::Database& db, const std::string& id, int64_t budget) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare(MESSAGES_OF " AND role <> 'system' ORDER BY sequence DESC"));
  query.Bind(id);
  Newest newest;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return newest;
    Message message = ReadMessage(query);
    budget -= message.sound ? Tokens(message) : 0;
    if (budget < 0) {
      newest.left_out = message.sequence;
      return newest;
    }
    newest.messages.push_back(std::move(message));
  }
}

// Results whose call is among those left out. One that never had a call, as hooks may tell it, is
// none; to know that, the calls are looked through, one at a time.
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
  while (!lone.empty()) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) break;
    for (const std::string& call : CallIds(base::ParseJson(query.Text(0)).value_or(Json()))) {
      if (lone.erase(call) > 0) orphans.insert(call);
    }
  }
  return orphans;
}

}  // namespace

Result<std::vector<Message>> Messages(sqlite::Database& db, const std::string& id,
                                      int64_t max_tokens) {
  if (max_tokens <= 0) return MessagesAfter(db, id, 0);
  ASSIGN_OR_RETURN(auto system, db.Prepare(MESSAGES_OF " AND role = 'system' ORDER BY sequence"));
  system.Bind(id);
  ASSIGN_OR_RETURN(std::vector<Message> stay, ReadAll(system));
  int64_t budget = max_tokens;
  for (const Message& message : stay) budget -= Tokens(message);
  ASSIGN_OR_RETURN(Newest newest, ReadNewest(db, id, budget));
  ASSIGN_OR_RETURN(const auto orphans, Orphans(db, id, newest));
  for (Message& message : newest.messages) {
    const bool orphan = message.role == "tool" && orphans.contains(message.tool_call_id);
    if (!orphan) stay.push_back(std::move(message));
  }
  std::ranges::sort(stay, {}, &Message::sequence);
  return WithoutUnsound(std::move(stay));
}

Result<std::vector<Message>> MessagesAfter(sqlite::Database& db, const std::string& id,
                                           int64_t sequence) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(MESSAGES_OF " AND sequence > ? ORDER BY sequence"));
  query.Bind(id).Bind(sequence);
  ASSIGN_OR_RETURN(std::vector<Message> messages, ReadAll(query));
  return WithoutUnsound(std::move(messages));
}

}  // namespace conversation
