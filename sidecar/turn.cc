// The life of a turn in code.
#include "sidecar/turn.h"

#include <utility>

namespace sidecar {

using Kind = api::HookEvent::Kind;

namespace {

// The trace's account of a search: ids and ranks, no contents (the reference's event name).
void Describe(telemetry::Span& span, const TurnDraft& draft, const TurnRecall& recall) {
  span.Attribute("event", draft.event.name);
  span.Attribute("conversation", draft.event.session_id);
  span.Attribute("captures", draft.captures.size());
  if (recall.asked) span.Attribute("recall.outcome", recall.found.outcome);
  for (const RecalledItem& item : recall.found.items) {
    span.Event(
        "context.injected",
        {{"id", item.id}, {"type", item.type}, {"rank", item.rank}, {"method", item.method}});
  }
}

}  // namespace

base::Result<api::HookAnswer> Turn::Take(api::HookEvent event,
                                         const telemetry::TraceContext& trace) {
  const auto policy = parts_.policies.Current();
  if (!policy) return base::Error{base::Code::kUnavailable, "no policy is in force yet"};
  const auto span = parts_.tracer.Start("agent_memory.turn", trace);
  const TurnDraft draft = DraftTurn(*policy, std::move(event));
  const TurnRecall recall = RecallFor(draft, policy->policy, span->context());
  Describe(*span, draft, recall);
  TurnOutcome outcome;
  if (!WritesNothing(draft, recall)) {
    ASSIGN_OR_RETURN(outcome, parts_.state.Write<TurnOutcome>([&](sqlite::Database& db) {
      return CommitTurn(db, draft, recall, *policy, parts_.limits, parts_.clock.NowMs());
    }));
    parts_.wake();
  } else if (!draft.denial.empty()) {
    outcome.answer = {"", "deny", draft.denial};
  }
  Count(draft, recall, outcome);
  return outcome.answer;
}

TurnRecall Turn::RecallFor(const TurnDraft& draft, const api::Policy& policy,
                           const telemetry::TraceContext& trace) {
  TurnRecall recall;
  const api::HookEvent& event = draft.event;
  if (event.kind == Kind::kUserPromptSubmit || event.kind == Kind::kSessionStart) {
    // A session starts with what came before it; memories wait for the prompt that they are about.
    recall.asked = true;
    recall.query = event.prompt;
    recall.found = parts_.recall.ForPrompt(policy, event.prompt, trace);
    recall.inject = recall.found;
  } else if (event.kind == Kind::kPreToolUse && draft.denial.empty()) {
    ToolRecall tool = parts_.recall.ForTool(policy, event, trace);
    recall.asked = tool.searched;
    recall.query = std::move(tool.query);
    recall.found = std::move(tool.found);
    recall.inject = std::move(tool.inject);
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
                         static_cast<double>(outcome.injected_items));
  }
  if (!draft.denial.empty()) parts_.metrics.Count("agent_memory_sidecar_denials_total");
}

}  // namespace sidecar
