// A session's begin, end, summary and digest are rows of the outbox, written in the transaction
// that changes the session: no crash leaves one without the other.
#include "sidecar/session/sessions.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/http/message/message.h"
#include "sidecar/session/transcript.h"
#include "sidecar/tables/memory_sessions.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

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
  row.traceparent = context.traceparent;
  // Random keys: each write is enqueued once, and only the delivery repeats it.
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
  RETURN_IF_ERROR(conversation::SqliteRows(db).UpdateConversation(
      conversation.id, {.memory_session_id = session.id, .state = "open"}));
  conversation.memory_session_id = session.id;
  conversation.state = "open";
  Json body = {{"id", session.id}, {"project", context.policy.project}};
  if (!session.predecessor.empty()) body["predecessor"] = session.predecessor;
  return Enqueue(db, "session", session.id, "/sessions", body, context);
}

// Enqueues the digest of a session, a memory beside the summary; a later digest replaces it.
// Enqueued after the session's end, which has priority in an outbox with little room.
Status EnqueueDigest(sqlite::Database& db, const SessionAccount& account,
                     const OutboxContext& context) {
  const auto digest = DigestOf(account, context.policy);
  if (!digest) return {};
  const Status written =
      EnqueueObservation(db, account.session(), api::EncodeNewObservation(*digest),
                         api::kOriginAgent, "digest-" + base::RandomUuid(), context);
  // In a full outbox the session has an end and no digest.
  return !written && written.error().code == base::Code::kFull ? Status() : written;
}

// The account up to the last message, based on `prepared` if it is of the same session.
Result<SessionAccount> WholeAccount(sqlite::Database& db,
                                    const conversation::Conversation& conversation,
                                    const OutboxContext& context, const SessionAccount* prepared) {
  const std::string& id = conversation.memory_session_id;
  if (prepared != nullptr && prepared->session() == id) {
    SessionAccount account = *prepared;
    RETURN_IF_ERROR(CompleteAccount(db, conversation, account));
    return account;
  }
  ASSIGN_OR_RETURN(const auto session, FindMemorySession(db, id));
  ASSIGN_OR_RETURN(auto account, SessionAccount::Begin(id, session ? session->after_sequence : 0,
                                                       context.policy));
  RETURN_IF_ERROR(CompleteAccount(db, conversation, account));
  return account;
}

}  // namespace

std::optional<api::NewObservation> DigestOf(const SessionAccount& account,
                                            const api::Policy& policy) {
  const SessionDigest& digest = account.digest();
  if (digest.Empty() || !digest.HasNews()) return std::nullopt;
  api::NewObservation observation;
  observation.session_id = account.session();
  observation.type = "session";
  observation.title = digest.Title();
  observation.content = digest.Text();
  observation.project = policy.project;
  observation.topic_key = "session/" + account.session();
  observation.source.origin = api::kOriginAgent;
  return observation;
}

Result<conversation::Conversation> OpenConversation(sqlite::Database& db, const std::string& id,
                                                    const OutboxContext& context) {
  conversation::SqliteRows rows(db);
  ASSIGN_OR_RETURN(auto conversation, conversation::GetOrCreate(rows, id, context.now_ms));
  if (conversation.memory_session_id.empty() || conversation.state != "open") {
    RETURN_IF_ERROR(BeginSession(db, conversation, context));
  }
  return conversation;
}

Status EndConversation(sqlite::Database& db, const std::string& id, const OutboxContext& context,
                       const SessionAccount* account) {
  conversation::SqliteRows rows(db);
  ASSIGN_OR_RETURN(const auto conversation, rows.FindConversation(id));
  if (!conversation || conversation->state != "open") return {};
  RETURN_IF_ERROR(rows.UpdateConversation(id, {.state = "ended"}));
  RETURN_IF_ERROR(conversation::CloseBlock(rows, id, context.now_ms));
  const std::string& session = conversation->memory_session_id;
  if (session.empty()) return {};
  if (!context.policy.auto_summarize) {
    return Enqueue(db, "session_end", session, EndPath(session), {{"messages", Json::array()}},
                   context);
  }
  ASSIGN_OR_RETURN(const auto whole, WholeAccount(db, *conversation, context, account));
  RETURN_IF_ERROR(Enqueue(db, "session_end", session, EndPath(session), whole.EndBody(), context));
  return EnqueueDigest(db, whole, context);
}

Result<bool> EndIfIdle(sqlite::Database& db, const std::string& id, int64_t idle_ms,
                       const OutboxContext& context, const SessionAccount* account) {
  ASSIGN_OR_RETURN(const auto conversation, conversation::SqliteRows(db).FindConversation(id));
  const bool idle = conversation && conversation->state == "open" &&
                    conversation->updated_ms <= context.now_ms - idle_ms;
  if (!idle) return false;
  RETURN_IF_ERROR(EndConversation(db, id, context, account));
  return true;
}

Result<bool> HasNewMessages(sqlite::Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(const auto conversation, conversation::SqliteRows(db).FindConversation(id));
  if (!conversation || conversation->state != "open" || conversation->memory_session_id.empty())
    return false;
  ASSIGN_OR_RETURN(const int64_t summarized,
                   SummarizedSequence(db, conversation->memory_session_id));
  return summarized < conversation->message_count;
}

Result<bool> EnqueueInterimSummary(sqlite::Database& db, const std::string& id,
                                   const OutboxContext& context, const SessionAccount* account) {
  ASSIGN_OR_RETURN(const bool has_new, HasNewMessages(db, id));
  if (!has_new || !context.policy.auto_summarize) return false;
  ASSIGN_OR_RETURN(const auto conversation, conversation::SqliteRows(db).FindConversation(id));
  ASSIGN_OR_RETURN(const auto whole, WholeAccount(db, *conversation, context, account));
  if (whole.empty()) return false;
  const std::string& session = whole.session();
  RETURN_IF_ERROR(SetSummarizedSequence(db, session, conversation->message_count));
  RETURN_IF_ERROR(Enqueue(db, "session_end", session, EndPath(session) + "?interim=true",
                          whole.EndBody(), context));
  RETURN_IF_ERROR(EnqueueDigest(db, whole, context));
  return true;
}

}  // namespace sidecar
