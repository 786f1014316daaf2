// What one hook event will write, decided before anything is written: messages, captures, what it
// begins and ends. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/conversation/conversations.h"
#include "sidecar/denial/denial.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/redaction/redaction.h"
#include "sidecar/rules/capture.h"

namespace sidecar {

struct TurnDraft {
  api::HookEvent
      event;  // secrets redacted, without tool_response; what is sent anywhere comes from it
  std::string output;     // of a tool's result, redacted: all that is kept of tool_response
  std::string event_key;  // the same for a repeated event; empty: it cannot be told
  std::string call_id;    // the tool call's; made from its contents when the agent gave none
  std::vector<conversation::Message> messages;
  std::vector<RuleVerdict> verdicts;  // of every save rule, for a tool's result
  std::vector<Capture> captures;
  std::string denial;                 // PreToolUse: why not; empty: go on
  std::vector<std::string> unjudged;  // PreToolUse: arguments that the policy's lists cannot judge
  bool audited = false;               // the tool is one of auditTools
  Redactor::Counts redactions;
  bool truncated = false;                // texts over 256 KiB were cut to head and tail
  std::vector<std::string> over_budget;  // what ran out of kHookBudgetUs: denial, redaction

  bool BeginsTurn() const { return event.kind == api::HookEvent::Kind::kUserPromptSubmit; }
  bool EndsSession() const { return event.kind == api::HookEvent::Kind::kSessionEnd; }
  // SessionStart after the transcript lost what was injected (rulings K27).
  bool ClearsTranscript() const;
};

// What a draft asks of the machine. The defaults ask nothing, so that the same event always gives
// the same draft.
struct DraftSources {
  SpentTime spent = [] { return int64_t{0}; };
  RealPath real_path = [](const std::string& path) { return path; };
};

TurnDraft DraftTurn(const ActivePolicy& policy, api::HookEvent event, const DraftSources& sources);

// The body of the POST /observations that a capture of the draft becomes. Names that are longer
// than the wire allows are cut, and end in the hash of the whole, so that different ones stay
// different.
base::Json ObservationBody(const TurnDraft& draft, const Capture& capture,
                           const std::string& session, const api::Policy& policy);

}  // namespace sidecar
