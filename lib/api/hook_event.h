// An event of an agent's turn in the form of Claude Code's HTTP hooks, and its answer. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

struct HookEvent {
  enum class Kind {
    kSessionStart,
    kUserPromptSubmit,
    kPreToolUse,
    kPostToolUse,
    kPostToolUseFailure,
    kStop,
    kSessionEnd,
    kOther,  // answered {}
  };
  Kind kind = Kind::kOther;
  std::string name;        // hook_event_name as sent
  std::string session_id;  // = conversation id
  std::string prompt;      // UserPromptSubmit
  std::string prompt_id;   // of the turn; empty if the runtime has no ids
  std::string tool_name, tool_use_id;
  base::Json tool_input;               // any JSON; null when absent
  base::Json tool_response;            // string, array of content blocks, object; null when absent
  std::string error;                   // PostToolUseFailure
  std::string last_assistant_message;  // Stop
  std::string source;                  // SessionStart: startup, resume, clear, compact
  std::string reason;                  // SessionEnd
  std::string cwd;
  std::string transcript_path;  // the runtime's file of the conversation
  // Repairs of the body before decoding (ADR 47). With `mended`, U+FFFD stands for bytes that only
  // the tool knows. `unread`: the reason why the policy cannot judge a part; empty: it can.
  bool mended = false;
  std::string unread;
};

// The event that a misspelt name means; empty: the name is that of another kind of event, which
// clients have many of.
std::string MeantEvent(const std::string& name);

// kInvalid: not an object; no hook_event_name, session_id or (tool events) tool_name; a field of a
// wrong type. Ignores unknown fields.
base::Result<HookEvent> DecodeHookEvent(const base::Json& body);

struct HookAnswer {
  std::string additional_context;   // empty: none
  std::string permission_decision;  // "", "deny"
  std::string permission_decision_reason;
  std::string system_message;  // for the person alone; empty: none
};
// {} for an empty answer, else {"systemMessage", "hookSpecificOutput": {…}}, each if it says
// something.
base::Json EncodeHookAnswer(const HookEvent& event, const HookAnswer& answer);

}  // namespace api
