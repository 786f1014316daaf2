// Beginning and ending memory sessions. A session's transcript is the messages of its conversation
// behind the point where it began, so that a successor does not tell its predecessor's story again.
#include "sidecar/sessions.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text.h"
#include "lib/http/message.h"
#include "sidecar/journal.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr size_t kTranscriptEnds = 50;         // messages at either end that keep more text
constexpr size_t kTranscriptCharacters = 400;  // of those; the server cuts its summary at 200
constexpr size_t kTranscriptMiddle = 20;

Status Enqueue(sqlite::Database& db, const char* kind, const std::string& session, std::string path,
               const Json& body, const OutboxContext& context) {
  OutboxRow row;
  row.lane = session;
  row.kind = kind;
  row.path = std::move(path);
  row.body = base::DumpJson(body);
  row.project = context.policy.project;
  row.destination = context.policy.server_url;
  row.created_ms = context.now_ms;
  row.cause = context.cause;
  // Ids are random: each of these writes is made once and only repeated by the delivery.
  row.idempotency_key = std::string(kind) + "-" + base::RandomUuid();
  return sidecar::Enqueue(db, row, context.limits);
}

std::string EndPath(const std::string& session) {
  return "/sessions/" + http::PercentEncode(session) + "/end";
}

Status BeginSession(sqlite::Database& db, conversation::Conversation& conversation,
                    const OutboxContext& context) {
  MemorySession session;
  session.id = base::RandomUuid();
  session.conversation = conversation.id;
  session.predecessor = conversation.memory_session_id;
  session.after_sequence = conversation.message_count;
  RETURN_IF_ERROR(AddMemorySession(db, session));
  RETURN_IF_ERROR(conversation::SetMemorySession(db, conversation.id, session.id));
  RETURN_IF_ERROR(conversation::SetState(db, conversation.id, "open"));
  conversation.memory_session_id = session.id;
  conversation.state = "open";
  Json body = {{"id", session.id}, {"project", context.policy.project}};
  if (!session.predecessor.empty()) body["predecessor"] = session.predecessor;
  return Enqueue(db, "session", session.id, "/sessions", body, context);
}

// What was said: an assistant message that only calls tools says nothing, and a tool's result is no
// message of the talk (rulings K3).
Result<std::vector<api::SummaryMessage>> Transcript(
    sqlite::Database& db, const conversation::Conversation& conversation) {
  ASSIGN_OR_RETURN(const auto session, FindMemorySession(db, conversation.memory_session_id));
  const int64_t after = session ? session->after_sequence : 0;
  // No more of each than ShortTranscript keeps: the whole of a long session may not fit in memory.
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT role, substr(content, 1, ?) FROM messages"
                              " WHERE conversation = ? AND sequence > ? AND content <> ''"
                              " AND role IN ('user', 'assistant')"
                              " AND row_is_sound('messages', number, checksum, conversation,"
                              " sequence, role, content, tool_calls, tool_call_id, created_ms)"
                              " ORDER BY sequence"));
  query.Bind(static_cast<int64_t>(kTranscriptCharacters)).Bind(conversation.id).Bind(after);
  std::vector<api::SummaryMessage> said;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return said;
    said.push_back({query.Text(0), query.Text(1)});
  }
}

// The summary needs the number of messages and the first and last of the user: the middle of a long
// transcript is cut short, so that one session stays one write of bounded size.
Json ShortTranscript(const std::vector<api::SummaryMessage>& said) {
  auto is_user = [](const api::SummaryMessage& message) { return message.role == "user"; };
  const auto first = std::find_if(said.begin(), said.end(), is_user) - said.begin();
  const auto last = said.rend() - std::find_if(said.rbegin(), said.rend(), is_user) - 1;
  Json messages = Json::array();
  for (size_t i = 0; i < said.size(); ++i) {
    const bool whole = i < kTranscriptEnds || i + kTranscriptEnds >= said.size() ||
                       static_cast<int64_t>(i) == first || static_cast<int64_t>(i) == last;
    const size_t limit = whole ? kTranscriptCharacters : kTranscriptMiddle;
    messages.push_back({{"role", said[i].role}, {"content", base::Prefix(said[i].content, limit)}});
  }
  return messages;
}

}  // namespace

Result<conversation::Conversation> OpenConversation(sqlite::Database& db, const std::string& id,
                                                    const OutboxContext& context) {
  ASSIGN_OR_RETURN(auto conversation, conversation::GetOrCreate(db, id, context.now_ms));
  if (conversation.memory_session_id.empty() || conversation.state != "open") {
    RETURN_IF_ERROR(BeginSession(db, conversation, context));
  }
  return conversation;
}

Status EndConversation(sqlite::Database& db, const std::string& id, const OutboxContext& context) {
  ASSIGN_OR_RETURN(const auto conversation, conversation::Find(db, id));
  if (!conversation || conversation->state != "open") return {};
  RETURN_IF_ERROR(conversation::SetState(db, id, "ended"));
  if (conversation->memory_session_id.empty()) return {};
  Json messages = Json::array();
  if (context.policy.auto_summarize) {
    ASSIGN_OR_RETURN(const auto said, Transcript(db, *conversation));
    messages = ShortTranscript(said);
  }
  const std::string& session = conversation->memory_session_id;
  return Enqueue(db, "session_end", session, EndPath(session), {{"messages", std::move(messages)}},
                 context);
}

Result<bool> EndIfIdle(sqlite::Database& db, const std::string& id, int64_t idle_ms,
                       const OutboxContext& context) {
  ASSIGN_OR_RETURN(const auto conversation, conversation::Find(db, id));
  const bool idle = conversation && conversation->state == "open" &&
                    conversation->updated_ms <= context.now_ms - idle_ms;
  if (!idle) return false;
  RETURN_IF_ERROR(EndConversation(db, id, context));
  return true;
}

Result<int64_t> EnqueueInterimSummaries(sqlite::Database& db, const OutboxContext& context) {
  if (!context.policy.auto_summarize) return int64_t{0};
  ASSIGN_OR_RETURN(const auto open, conversation::List(db, "open"));
  int64_t written = 0;
  for (const conversation::Conversation& conversation : open) {
    const std::string& session = conversation.memory_session_id;
    if (session.empty()) continue;
    ASSIGN_OR_RETURN(const int64_t told, SummarizedSequence(db, session));
    if (told >= conversation.message_count) continue;
    ASSIGN_OR_RETURN(const auto said, Transcript(db, conversation));
    if (said.empty()) continue;
    RETURN_IF_ERROR(SetSummarizedSequence(db, session, conversation.message_count));
    RETURN_IF_ERROR(Enqueue(db, "session_end", session, EndPath(session) + "?interim=true",
                            {{"messages", ShortTranscript(said)}}, context));
    ++written;
  }
  return written;
}

Status EnqueueObservation(sqlite::Database& db, const std::string& session, const Json& body,
                          const std::string& origin, const std::string& idempotency_key,
                          const OutboxContext& context) {
  OutboxRow row;
  row.lane = session;
  row.kind = "observation";
  row.path = "/observations";
  row.body = base::DumpJson(body);
  row.project = context.policy.project;
  row.origin = origin;
  row.destination = context.policy.server_url;
  row.created_ms = context.now_ms;
  row.cause = context.cause;
  row.idempotency_key = idempotency_key;
  return sidecar::Enqueue(db, row, context.limits);
}

}  // namespace sidecar
