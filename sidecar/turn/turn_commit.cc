// Writes a draft. The text of an injection is rendered here, because the ledger is only certain
// inside the transaction: two concurrent events must not inject the same memory.
#include "sidecar/turn/turn_commit.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/conversation/working/ledger.h"
#include "sidecar/recall/prompt.h"
#include "sidecar/recall/selection.h"
#include "sidecar/rules/commits.h"
#include "sidecar/tables/answered_events.h"
#include "sidecar/tables/audit_log.h"
#include "sidecar/tables/injection_log.h"
#include "sidecar/tables/memory_sessions.h"
#include "sidecar/text/tool_text.h"
#include "sidecar/turn/turn_ingest.h"

namespace sidecar {
namespace {

using EventKind = api::HookEvent::Kind;
using base::Json;
using base::Result;
using base::Status;

constexpr int64_t kCallsBeforeAnAmendment = 400;  // messages that are searched

constexpr size_t kMostReadBytes = 4 << 20;

// The memory of the commit that `git commit --amend` replaces, by the calls of the conversation:
// read again, so that no table of commits is needed. → the topic key of the last commit that
// amended none, among the newest messages; empty: none. Further amendments get the same key.
// `conversation`: as it is in the running transaction.
base::Result<std::string> AmendedTopic(conversation::Rows& rows,
                                       const conversation::Conversation& conversation) {
  const int64_t last = conversation.message_count;
  const int64_t first = std::max<int64_t>(1, last - kCallsBeforeAnAmendment + 1);
  ASSIGN_OR_RETURN(const auto page,
                   conversation::MessagesBetween(rows, conversation.id, first, last,
                                                 {INT64_MAX, kMostReadBytes}));
  std::string topic;
  if (page.more > 0) return topic;        // the newest calls were not read
  const base::Json* arguments = nullptr;  // of the call before a result
  base::Json held;
  for (const conversation::Message& message : page.messages) {
    if (message.role == "tool" && arguments != nullptr && !message.is_error) {
      for (const Capture& commit : CommitsOf(*arguments, message.content))
        if (!commit.amends) topic = commit.topic_key;
    }
    arguments = nullptr;
    if (!message.tool_calls.is_array() || message.tool_calls.empty()) continue;
    held = Arguments(message.tool_calls[0]
                         .value("function", base::Json::object())
                         .value("arguments", base::Json()));
    arguments = &held;
  }
  return topic;
}

constexpr size_t kAuditCharacters = 4'000;

// The same call and rule give the same key. Some runtimes number calls from 1 in every turn: the
// event key, a hash of the contents, distinguishes such calls.
std::string CaptureKey(const TurnDraft& draft, const Capture& capture, const std::string& session,
                       int64_t turn, const api::Policy& policy) {
  const api::HookEvent& event = draft.event;
  Json parts = {policy.agent_namespace, session, capture.rule};
  if (!event.tool_use_id.empty()) {
    parts.push_back({event.tool_name, draft.event_key});
  } else {
    parts.push_back({turn, event.tool_name, event.tool_input, draft.output});
  }
  return base::Sha256Hex(base::DumpJson(parts));
}

Status CommitCaptures(sqlite::Database& db, const TurnDraft& draft,
                      const conversation::Conversation& conversation,
                      const OutboxContext& context) {
  const std::string& session = conversation.memory_session_id;
  conversation::SqliteRows rows(db);
  for (Capture capture : draft.captures) {
    if (capture.amends) {
      ASSIGN_OR_RETURN(const std::string topic, AmendedTopic(rows, conversation));
      if (!topic.empty()) capture.topic_key = topic;
    }
    RETURN_IF_ERROR(EnqueueObservation(
        db, session, ObservationBody(draft, capture, session, context.policy), api::kOriginRule,
        CaptureKey(draft, capture, session, conversation.turn, context.policy), context));
  }
  return {};
}

// Ignores a full ledger: the memories without a mark may be injected again.
Status MarkAll(sqlite::Database& db, const conversation::Conversation& conversation,
               const std::vector<conversation::LedgerItem>& items, int64_t now_ms) {
  conversation::SqliteRows rows(db);
  for (const conversation::LedgerItem& item : items) {
    const auto marked =
        conversation::MarkInLedger(rows, conversation.id, {item, conversation.turn, now_ms});
    if (!marked && marked.error().code == base::Code::kTooLarge) return {};
    RETURN_IF_ERROR(marked);
  }
  return {};
}

Result<Injection> CommitInjection(sqlite::Database& db, const TurnDraft& draft,
                                  const TurnRecall& recall,
                                  const conversation::Conversation& conversation,
                                  const std::string& task, const ActivePolicy& policy,
                                  int64_t now_ms) {
  conversation::Ledger ledger;
  ASSIGN_OR_RETURN(const auto own, SessionsOf(db, conversation.id, SessionIds(recall.inject)));
  Recalled given;
  if (policy.policy.reinject == "everyTurn") {
    given = WithoutOwn(recall.inject, own, INT64_MAX);
  } else {
    ASSIGN_OR_RETURN(ledger, conversation::SqliteRows(db).ReadLedger(conversation.id));
    given = WithOneDigest(WithoutOwn(recall.inject, own, ClearedMs(ledger)), ledger);
  }
  Injection injection = RenderInjection(given, ledger, policy.policy.budget_tokens, task);
  RETURN_IF_ERROR(MarkAll(db, conversation, injection.ledger_items, now_ms));
  InjectionRecord record;
  record.conversation = conversation.id;
  record.turn = conversation.turn;
  record.event = draft.event.name;
  record.tool_name = draft.event.tool_name;
  record.tool_use_id = draft.event.tool_use_id;
  record.text = injection.text;
  record.query = recall.query;
  record.outcome = recall.found.outcome;
  record.items = EncodeItems(recall.found.items, injection.items);
  record.policy_digest = policy.digest;
  record.created_ms = now_ms;
  RETURN_IF_ERROR(RecordInjection(db, record));
  return injection;
}

Status CommitAudit(sqlite::Database& db, const TurnDraft& draft, int64_t now_ms) {
  const api::HookEvent& event = draft.event;
  Json details = {{"tool_use_id", event.tool_use_id},
                  {"input", base::Prefix(base::DumpJson(event.tool_input), kAuditCharacters)}};
  if (!draft.denial.empty()) details["denied"] = draft.denial;
  if (!draft.unjudged.empty()) details["unjudged"] = draft.unjudged;
  if (!draft.over_budget.empty()) details["over_budget"] = draft.over_budget;
  if (event.kind == EventKind::kPostToolUseFailure) {
    details["error"] = base::Prefix(event.error, kAuditCharacters);
  }
  return AddAudit(db, event.session_id, event.name, event.tool_name, details, now_ms);
}

// Writes messages, captures and, for a prompt, the next turn. → the conversation afterwards.
Result<conversation::Conversation> CommitMessages(sqlite::Database& db, const TurnDraft& draft,
                                                  const OutboxContext& context,
                                                  const conversation::BlockDigest* block) {
  ASSIGN_OR_RETURN(auto conversation, OpenConversation(db, draft.event.session_id, context));
  conversation::SqliteRows rows(db);
  if (draft.BeginsTurn())
    RETURN_IF_ERROR(rows.UpdateConversation(conversation.id, {.turn = ++conversation.turn}));
  if (!draft.messages.empty()) {
    using Place = conversation::TurnPlace;
    ASSIGN_OR_RETURN(
        conversation.message_count,
        conversation::AppendToBlock(rows, conversation.id, draft.messages, context.now_ms,
                                    draft.BeginsTurn() ? Place::kBegins : Place::kGoesOn, block));
  }
  RETURN_IF_ERROR(CommitCaptures(db, draft, conversation, context));
  return conversation;
}

api::HookAnswer DecodeAnswer(const std::string& stored) {
  const Json json = base::ParseJson(stored).value_or(Json::object());
  return {base::StringAt(json, {"context"}), base::StringAt(json, {"decision"}),
          base::StringAt(json, {"reason"}), ""};
}

std::string EncodeAnswer(const api::HookAnswer& answer) {
  if (answer.additional_context.empty() && answer.permission_decision.empty()) return "{}";
  return base::DumpJson({{"context", answer.additional_context},
                         {"decision", answer.permission_decision},
                         {"reason", answer.permission_decision_reason}});
}

}  // namespace

bool WritesNothing(const TurnDraft& draft, const TurnRecall& recall) {
  return draft.messages.empty() && !recall.asked && !draft.audited && !draft.EndsSession() &&
         !draft.EndsTurn() && !draft.ClearsTranscript();
}

Result<TurnOutcome> CommitTurn(sqlite::Database& db, const TurnDraft& draft,
                               const TurnRecall& recall, const ActivePolicy& policy,
                               const OutboxLimits& limits, int64_t now_ms,
                               const std::string& traceparent, const SessionAccount* account,
                               const conversation::BlockDigest* block, const CutOff& cut_off) {
  const std::string& id = draft.event.session_id;
  const OutboxContext context{policy.policy, limits, now_ms, traceparent};
  conversation::SqliteRows rows(db);
  TurnOutcome outcome;
  if (!draft.event_key.empty()) {
    ASSIGN_OR_RETURN(const auto given, FindAnswer(db, id, draft.event_key));
    if (given) {
      outcome.answer = DecodeAnswer(*given);
      outcome.repeated = true;
      return outcome;
    }
  }
  if (draft.ClearsTranscript()) {
    RETURN_IF_ERROR(rows.RemoveFromLedger(id, std::nullopt));
    RETURN_IF_ERROR(conversation::MarkInLedger(rows, id, {TranscriptCleared(now_ms), 0, now_ms}));
  }
  if (draft.EndsSession()) {
    RETURN_IF_ERROR(conversation::CloseBlock(rows, id, now_ms, block));
    RETURN_IF_ERROR(EndConversation(db, id, context, account));
    return outcome;
  }
  if (draft.audited) RETURN_IF_ERROR(CommitAudit(db, draft, now_ms));
  if (!draft.messages.empty() || recall.asked) {
    ASSIGN_OR_RETURN(TaskWork task, TaskWork::Begin(rows, draft, cut_off));
    ASSIGN_OR_RETURN(const auto conversation, CommitMessages(db, draft, context, block));
    outcome.session = conversation.memory_session_id;
    if (recall.asked) {
      ASSIGN_OR_RETURN(const std::string section, task.Offer(rows, draft, policy.policy));
      ASSIGN_OR_RETURN(Injection injection,
                       CommitInjection(db, draft, recall, conversation, section, policy, now_ms));
      outcome.answer.additional_context = injection.text;
      outcome.injected = std::move(injection.items);
    }
    RETURN_IF_ERROR(task.Commit(rows, draft, policy.policy, now_ms));
  }
  if (draft.EndsTurn()) {
    ASSIGN_OR_RETURN(outcome.ingest_skipped, QueueIngest(db, draft, policy, context));
    RETURN_IF_ERROR(conversation::CloseBlock(rows, id, now_ms, block));
  }
  if (!draft.denial.empty()) {
    outcome.answer.permission_decision = "deny";
    outcome.answer.permission_decision_reason = draft.denial;
  }
  if (!draft.event_key.empty()) {
    RETURN_IF_ERROR(SaveAnswer(db, id, draft.event_key, EncodeAnswer(outcome.answer), now_ms));
  }
  return outcome;
}

}  // namespace sidecar
