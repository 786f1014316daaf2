// The order of a turn.
#include "sidecar/turn/turn.h"

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/base/process/log_debug.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "sidecar/git/commit_reader.h"
#include "sidecar/session/sessions.h"
#include "sidecar/text/normal_path.h"
#include "sidecar/text/save_advice.h"

namespace sidecar {

namespace {

base::Json EventOf(const RecalledItem& item) {
  return {{"id", item.id},
          {"type", item.type},
          {"title", item.title},
          {"rank", item.rank},
          {"method", item.method}};
}

// The trace event of a turn (the reference's name): found and injected items by id and rank, no
// contents.
void Describe(telemetry::Span& span, const TurnDraft& draft, const TurnRecall& recall,
              const TurnOutcome& outcome) {
  if (!span.recording()) return;
  span.Attribute("event", draft.event.name);
  if (!draft.denial.empty()) span.Attribute("denied", true);
  if (outcome.repeated) span.Attribute("repeated", true);
  for (const RecalledItem& item : outcome.injected) span.Event("context.injected", EventOf(item));
  for (const RecalledItem& item : recall.found.items) {
    const bool injected =
        std::any_of(outcome.injected.begin(), outcome.injected.end(),
                    [&](const RecalledItem& other) { return other.id == item.id; });
    if (!injected) span.Event("context.found", EventOf(item));
  }
}

// The processor time of the thread, so that rules do not look slow on a busy machine.
int64_t SpentUs() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<int64_t>(spent.tv_sec) * 1'000'000 + spent.tv_nsec / 1'000;
}

// In a pod the sidecar does not see the agent's files, and no path is a link; on a user's machine
// both see the same files.
std::string FollowLinks(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  return error ? NormalPath(path, "/") : real.string();
}

// In a pod the sidecar sees no file of the runtime's.
bool HasContent(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::filesystem::file_size(path, error) > 0 && !error;
}

TurnDraft DraftWithin(telemetry::Span& turn, const ActivePolicy& policy, api::HookEvent event,
                      int64_t now_ms) {
  const auto span = turn.Child("capture", telemetry::SpanKind::kInternal);
  const auto commit = [now_ms](const CommitQuery& query) { return ReadCommit(query, now_ms); };
  TurnDraft draft = DraftTurn(policy, std::move(event), {SpentUs, FollowLinks, HasContent, commit});
  if (span->recording()) {
    span->Attribute("captures", draft.captures.size());
    if (draft.truncated) span->Attribute("truncated", true);
    if (!draft.unjudged.empty()) span->Attribute("unjudged", base::Join(draft.unjudged, ", "));
    if (!draft.over_budget.empty())
      span->Attribute("over_budget", base::Join(draft.over_budget, ", "));
  }
  return draft;
}

// Logs no contents, and cuts ids, which the agent chooses.
void LogTurn(const TurnDraft& draft, const TurnRecall& recall, const TurnOutcome& outcome) {
  constexpr size_t kShown = 80;
  base::LogDebug("hook", [&] {
    return base::Json{{"event", base::Ellipsize(draft.event.name, kShown)},
                      {"conversation", base::Ellipsize(draft.event.session_id, kShown)},
                      {"tool_use_id", base::Ellipsize(draft.event.tool_use_id, kShown)},
                      {"repeated", outcome.repeated},
                      {"denied", !draft.denial.empty()},
                      {"unjudged", draft.unjudged.size()},
                      {"messages", draft.messages.size()},
                      {"saved", draft.captures.size()},
                      {"redactions", draft.redactions.size()},
                      {"searched", recall.asked},
                      {"found", recall.found.items.size()},
                      {"injected", outcome.injected.size()}};
  });
}

// `Saved before: as 7 "We use pnpm", as 8 "Add a health endpoint".`
std::string SavedBefore(const std::vector<SavedId>& saved) {
  constexpr size_t kShown = 60;
  std::string text;
  for (const SavedId& one : saved) {
    text += (text.empty() ? "Saved before: as " : ", as ") + std::to_string(one.id) + " " +
            base::InertName(base::Ellipsize(one.title, kShown));
  }
  return text.empty() ? text : text + ".";
}

// Short texts, which stay out of the record of injections.
void AskToSave(const api::Policy& policy, const TurnDraft& draft, const std::string& session,
               SavedIds& saved_ids, api::HookAnswer& answer) {
  if (!policy.ask_to_save || !policy.auto_save) return;
  const auto add = [&](std::string_view text) {
    if (text.empty()) return;
    if (!answer.additional_context.empty()) answer.additional_context += "\n";
    answer.additional_context += text;
  };
  if (draft.event.kind == api::HookEvent::Kind::kSessionStart) add(SaveAdvice(policy.save_advice));
  if (!draft.BeginsTurn()) return;
  add(SavedBefore(saved_ids.Drain(session)));
  if (!draft.captures.empty()) add(kSavedAlready);
}

// The person sees what a prompt left in memory, and can take it back.
void TellThePerson(const TurnDraft& draft, api::HookAnswer& answer) {
  constexpr size_t kShown = 80;
  if (!draft.BeginsTurn() || draft.captures.empty()) return;
  answer.system_message = "agent-memory: remembered \"" +
                          base::Ellipsize(base::Inert(draft.captures[0].title), kShown) + "\"";
}

}  // namespace

base::Result<api::HookAnswer> Turn::Handle(api::HookEvent event,
                                           const telemetry::TraceContext& trace) {
  ASSIGN_OR_RETURN(const auto policy, parts_.policies.InForce());
  const auto span = parts_.tracer.Start({.name = "turn", .parent = trace});
  const TurnDraft draft = DraftWithin(*span, *policy, std::move(event), parts_.clock.NowMs());
  SummarizeLeftOpen(draft, policy->policy);
  const TurnRecall recall = RecallFor(draft, policy->policy, *span);
  TurnOutcome outcome;
  if (!WritesNothing(draft, recall)) {
    auto committed = CommitWithin(*span, draft, recall, *policy);
    if (!committed) {
      parts_.rules.Count(draft.verdicts, false);
      span->Fail(base::CodeName(committed.error().code));
      if (draft.denial.empty()) return committed.error();
      // A denial holds even when the commit fails.
      parts_.metrics.Count("agent_memory_sidecar_denials_total");
      return api::HookAnswer{"", "deny", draft.denial, ""};
    }
    outcome = std::move(*committed);
    parts_.wake();
  }
  if (!draft.denial.empty()) {
    // A repeated event that an older policy allowed is denied, too.
    outcome.answer.permission_decision = "deny";
    outcome.answer.permission_decision_reason = draft.denial;
  }
  AskToSave(policy->policy, draft, outcome.session, parts_.saved_ids, outcome.answer);
  TellThePerson(draft, outcome.answer);
  Describe(*span, draft, recall, outcome);
  LogTurn(draft, recall, outcome);
  Count(draft, recall, outcome);
  return outcome.answer;
}

void Turn::SummarizeLeftOpen(const TurnDraft& draft, const api::Policy& policy) {
  if (draft.event.kind != api::HookEvent::Kind::kSessionStart || !policy.session_digest) return;
  const auto summarize = [&]() -> base::Status {
    ASSIGN_OR_RETURN(const auto before, parts_.state.Read([](sqlite::Database& db) {
      return conversation::SqliteRows(db).LastUsed("", "");
    }));
    if (!before || before->id == draft.event.session_id) return {};
    ASSIGN_OR_RETURN(const bool has_new, parts_.state.Read([&](sqlite::Database& db) {
      return HasNewMessages(db, before->id);
    }));
    if (!has_new) return {};
    ASSIGN_OR_RETURN(const auto account, PrepareAccount(parts_.state, before->id, policy));
    ASSIGN_OR_RETURN(
        [[maybe_unused]] const bool was, parts_.state.Write<bool>([&](sqlite::Database& db) {
          return EnqueueInterimSummary(
              db, before->id, {policy, parts_.limits, parts_.clock.NowMs()}, account.get());
        }));
    return {};
  };
  if (const base::Status done = summarize(); !done)
    base::LogWarn("the conversation before has no summary so far",
                  {{"reason", done.error().message}});
}

base::Result<TurnOutcome> Turn::CommitWithin(telemetry::Span& turn, const TurnDraft& draft,
                                             const TurnRecall& recall, const ActivePolicy& policy) {
  const auto span = turn.Child("commit", telemetry::SpanKind::kInternal);
  // Later deliveries link to this turn.
  const std::string traceparent =
      turn.recording() ? telemetry::FormatTraceparent(turn.context()) : std::string();
  // Reads before the transaction, since other events wait for the transaction.
  std::unique_ptr<SessionAccount> account;
  if (draft.EndsSession()) {
    ASSIGN_OR_RETURN(account, PrepareAccount(parts_.state, draft.event.session_id, policy.policy));
  }
  std::optional<conversation::BlockDigest> block;
  if (draft.BeginsTurn() || draft.EndsTurn() || draft.EndsSession()) {
    const auto reader = [&](const auto& use) {
      return parts_.state.Read(conversation::OnRows(use));
    };
    ASSIGN_OR_RETURN(block, conversation::PrepareClose(reader, draft.event.session_id));
  }
  return parts_.state.Write<TurnOutcome>([&](sqlite::Database& db) {
    return CommitTurn(db, draft, recall, policy, parts_.limits, parts_.clock.NowMs(), traceparent,
                      account.get(), block ? &*block : nullptr, cut_off_);
  });
}

TurnRecall Turn::RecallFor(const TurnDraft& draft, const api::Policy& policy,
                           telemetry::Span& turn) {
  TurnRecall recall;
  const RecallPlan plan = PlanRecall(policy, draft.event, !draft.denial.empty());
  if (plan.kind == RecallPlan::Kind::kNothing) return recall;
  const auto span = turn.Child("recall", telemetry::SpanKind::kClient);
  if (plan.kind == RecallPlan::Kind::kContext) {
    recall.asked = true;
    recall.query = plan.query;
    const auto known = parts_.state.Read([&](sqlite::Database& db) {
      return conversation::SqliteRows(db).FindConversation(draft.event.session_id);
    });
    const bool first = known && (!*known || (*known)->turn == 0);
    recall.found = parts_.recall.ForPrompt(policy, {draft.event.session_id, plan.query, first},
                                           span->context());
    recall.inject = recall.found;
  } else {
    ToolRecall tool = parts_.recall.ForTool(policy, plan.searches, span->context());
    recall.asked = tool.searched;
    recall.query = std::move(tool.query);
    recall.found = std::move(tool.found);
    recall.inject = std::move(tool.inject);
  }
  if (span->recording()) {
    span->Attribute("outcome", recall.found.outcome);
    span->Attribute("found", recall.found.items.size());
  }
  return recall;
}

void Turn::Count(const TurnDraft& draft, const TurnRecall& recall, const TurnOutcome& outcome) {
  if (outcome.repeated) return;
  parts_.rules.Count(draft.verdicts, true);
  for (const auto& [kind, count] : draft.redactions) {
    parts_.metrics.Count("agent_memory_sidecar_redactions_total", {{"kind", kind}},
                         static_cast<double>(count));
  }
  if (recall.asked) {
    parts_.metrics.Count("agent_memory_sidecar_recalls_total", {{"outcome", recall.found.outcome}});
    parts_.metrics.Count("agent_memory_sidecar_injected_items_total", {},
                         static_cast<double>(outcome.injected.size()));
  }
  if (outcome.ingest_skipped) parts_.metrics.Count("agent_memory_sidecar_ingest_skipped_total");
  if (!draft.denial.empty()) parts_.metrics.Count("agent_memory_sidecar_denials_total");
  if (!draft.unjudged.empty()) parts_.metrics.Count("agent_memory_sidecar_unjudged_calls_total");
  for (const std::string& step : draft.over_budget) {
    parts_.metrics.Count("agent_memory_sidecar_over_budget_total", {{"step", step}});
  }
}

}  // namespace sidecar
