// The life of a turn in code.
#include "sidecar/turn.h"

#include <algorithm>
#include <utility>

namespace sidecar {

using Kind = api::HookEvent::Kind;

namespace {

base::Json EventOf(const RecalledItem& item) {
  return {{"id", item.id},
          {"type", item.type},
          {"title", item.title},
          {"rank", item.rank},
          {"method", item.method}};
}

// The trace's account of a turn: what was found and what of it the agent got, by id and rank, no
// contents (the reference's event name).
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

TurnDraft DraftWithin(telemetry::Span& turn, const ActivePolicy& policy, api::HookEvent event) {
  const auto span = turn.Child("capture", telemetry::SpanKind::kInternal);
  TurnDraft draft = DraftTurn(policy, std::move(event));
  if (span->recording()) span->Attribute("captures", draft.captures.size());
  return draft;
}

}  // namespace

base::Result<api::HookAnswer> Turn::Take(api::HookEvent event,
                                         const telemetry::TraceContext& trace) {
  const auto policy = parts_.policies.Current();
  if (!policy) return base::Error{base::Code::kUnavailable, "no policy is in force yet"};
  const auto span = parts_.tracer.Start({.name = "turn", .parent = trace});
  const TurnDraft draft = DraftWithin(*span, *policy, std::move(event));
  const TurnRecall recall = RecallFor(draft, policy->policy, *span);
  TurnOutcome outcome;
  if (!WritesNothing(draft, recall)) {
    auto committed = CommitWithin(*span, draft, recall, *policy);
    if (!committed) {
      span->Fail(base::CodeName(committed.error().code));
      return committed.error();
    }
    outcome = std::move(*committed);
    parts_.wake();
  } else if (!draft.denial.empty()) {
    outcome.answer = {"", "deny", draft.denial};
  }
  Describe(*span, draft, recall, outcome);
  Count(draft, recall, outcome);
  return outcome.answer;
}

base::Result<TurnOutcome> Turn::CommitWithin(telemetry::Span& turn, const TurnDraft& draft,
                                             const TurnRecall& recall, const ActivePolicy& policy) {
  const auto span = turn.Child("commit", telemetry::SpanKind::kInternal);
  // What is delivered later names this turn as its cause.
  const std::string cause =
      turn.recording() ? telemetry::FormatTraceparent(turn.context()) : std::string();
  return parts_.state.Write<TurnOutcome>([&](sqlite::Database& db) {
    return CommitTurn(db, draft, recall, policy, parts_.limits, parts_.clock.NowMs(), cause);
  });
}

TurnRecall Turn::RecallFor(const TurnDraft& draft, const api::Policy& policy,
                           telemetry::Span& turn) {
  TurnRecall recall;
  const api::HookEvent& event = draft.event;
  const bool starts = event.kind == Kind::kUserPromptSubmit || event.kind == Kind::kSessionStart;
  const bool searches =
      event.kind == Kind::kPreToolUse && draft.denial.empty() && !policy.inject_tools.empty();
  if (!starts && !searches) return recall;
  const auto span = turn.Child("recall", telemetry::SpanKind::kClient);
  if (starts) {
    // A session starts with what came before it; memories wait for the prompt that they are about.
    recall.asked = true;
    recall.query = event.prompt;
    recall.found = parts_.recall.ForPrompt(policy, event.prompt, span->context());
    recall.inject = recall.found;
  } else {
    ToolRecall tool = parts_.recall.ForTool(policy, event, span->context());
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
  for (const Capture& capture : draft.captures) {
    parts_.metrics.Count("agent_memory_sidecar_captures_total", {{"rule", capture.rule}});
  }
  for (const auto& [kind, count] : draft.redactions) {
    parts_.metrics.Count("agent_memory_sidecar_redactions_total", {{"kind", kind}},
                         static_cast<double>(count));
  }
  if (recall.asked) {
    parts_.metrics.Count("agent_memory_sidecar_recalls_total", {{"outcome", recall.found.outcome}});
    parts_.metrics.Count("agent_memory_sidecar_injected_items_total", {},
                         static_cast<double>(outcome.injected.size()));
  }
  if (!draft.denial.empty()) parts_.metrics.Count("agent_memory_sidecar_denials_total");
}

}  // namespace sidecar
