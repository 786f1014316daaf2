// The life of a turn in code.
#include "sidecar/turn.h"

#include <utility>

#include "lib/conversation/conversations.h"

namespace sidecar {

using Kind = api::HookEvent::Kind;

Turn::Turn(State& state, const PolicyWatch& policies, Recall& recall, std::function<void()> wake,
           telemetry::Metrics& metrics, const base::Clock& clock, OutboxLimits limits)
    : state_(state),
      policies_(policies),
      recall_(recall),
      wake_(std::move(wake)),
      metrics_(metrics),
      clock_(clock),
      limits_(limits) {}

base::Result<api::HookAnswer> Turn::Take(api::HookEvent event,
                                         const telemetry::TraceContext& trace) {
  const auto policy = policies_.Current();
  if (!policy) return base::Error{base::Code::kUnavailable, "no policy is in force yet"};
  const TurnDraft draft = DraftTurn(*policy, std::move(event));
  const TurnRecall recall = RecallFor(draft, policy->policy, trace);
  TurnOutcome outcome;
  if (!WritesNothing(draft, recall)) {
    ASSIGN_OR_RETURN(outcome, state_.Write<TurnOutcome>([&](sqlite::Database& db) {
      return CommitTurn(db, draft, recall, *policy, limits_, clock_.NowMs());
    }));
    wake_();
  } else if (!draft.denial.empty()) {
    outcome.answer = {"", "deny", draft.denial};
  }
  CountTurn(draft, recall, outcome);
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
    recall.found = recall_.ForPrompt(policy, event.prompt, trace);
    recall.inject = recall.found;
  } else if (event.kind == Kind::kPreToolUse && draft.denial.empty()) {
    ToolRecall tool = recall_.ForTool(policy, event, trace);
    recall.asked = tool.searched;
    recall.query = std::move(tool.query);
    recall.found = std::move(tool.found);
    recall.inject = std::move(tool.inject);
  }
  return recall;
}

void Turn::CountTurn(const TurnDraft& draft, const TurnRecall& recall, const TurnOutcome& outcome) {
  if (outcome.repeated) return;
  for (const Capture& capture : draft.captures) {
    metrics_.Count("agent_memory_sidecar_captures_total", {{"rule", capture.rule}});
  }
  for (const auto& [kind, count] : draft.redactions) {
    metrics_.Count("agent_memory_sidecar_redactions_total", {{"kind", kind}},
                   static_cast<double>(count));
  }
  if (recall.asked) {
    metrics_.Count("agent_memory_sidecar_recalls_total", {{"outcome", recall.found.outcome}});
    metrics_.Count("agent_memory_sidecar_injected_items_total", {},
                   static_cast<double>(outcome.injected_items));
  }
  if (!draft.denial.empty()) metrics_.Count("agent_memory_sidecar_denials_total");
}

}  // namespace sidecar
