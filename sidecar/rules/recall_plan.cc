// Builds queries from prompts and tool arguments.
#include "sidecar/rules/recall_plan.h"

#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "sidecar/text/persons_words.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using EventKind = api::HookEvent::Kind;

SearchPlan PlanSearch(const api::InjectTool& entry, const api::HookEvent& event) {
  SearchPlan plan;
  plan.limit = entry.limit;
  plan.inject = entry.inject;
  if (!ToolMatches(entry.tool, event.tool_name)) return plan;
  if (IsOwnTool(event.tool_name)) {
    plan.outcome = SearchPlan::Outcome::kOwnTool;
    return plan;
  }
  const std::string text =
      entry.query == api::kFromToolArgs ? MainArgument(Arguments(event.tool_input)) : entry.query;
  plan.query = std::string(base::Prefix(base::Trim(text), api::kQueryCharacters));
  const bool blank = base::IsBlank(plan.query);
  plan.outcome = blank ? SearchPlan::Outcome::kNoQuery : SearchPlan::Outcome::kSearches;
  return plan;
}

}  // namespace

RecallPlan PlanRecall(const api::Policy& policy, const api::HookEvent& event, bool denied) {
  RecallPlan plan;
  if (event.kind == EventKind::kUserPromptSubmit || event.kind == EventKind::kSessionStart) {
    // A turn that the client wrote by itself asks for nothing.
    if (!event.prompt.empty() && PersonsWords(event.prompt).empty()) return plan;
    plan.kind = RecallPlan::Kind::kContext;
    plan.query = std::string(base::Prefix(PersonsWords(event.prompt), api::kQueryCharacters));
  }
  if (event.kind != EventKind::kPreToolUse || denied || policy.inject_tools.empty()) return plan;
  plan.kind = RecallPlan::Kind::kSearches;
  for (const api::InjectTool& entry : policy.inject_tools) {
    plan.searches.push_back(PlanSearch(entry, event));
  }
  return plan;
}

}  // namespace sidecar
