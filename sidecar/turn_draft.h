// What one hook event will write, decided before anything is written: messages, captures, what it
// begins and ends. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/conversation/conversations.h"
#include "sidecar/capture.h"
#include "sidecar/policy_watch.h"
#include "sidecar/redaction.h"

namespace sidecar {

struct TurnDraft {
  api::HookEvent event;   // secrets redacted; what is sent anywhere comes from it
  std::string event_key;  // the same for a repeated event; empty: it cannot be told
  std::string call_id;    // the tool call's; made from its contents when the agent gave none
  std::vector<conversation::Message> messages;
  std::vector<Capture> captures;
  std::string denial;    // PreToolUse: why not; empty: go on
  bool audited = false;  // the tool is one of auditTools
  Redactor::Counts redactions;

  bool BeginsTurn() const { return event.kind == api::HookEvent::Kind::kUserPromptSubmit; }
  bool EndsSession() const { return event.kind == api::HookEvent::Kind::kSessionEnd; }
  // SessionStart after the transcript lost what was injected (rulings K27).
  bool ClearsTranscript() const;
};

TurnDraft DraftTurn(const ActivePolicy& policy, api::HookEvent event);

}  // namespace sidecar
