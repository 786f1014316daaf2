// One event of an agent's turn as Claude Code's HTTP hooks send it, decoded; and the answer. Pure.
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
  std::string prompt_id;   // of the turn; empty when the runtime has none
  std::string tool_name, tool_use_id;
  base::Json tool_input;               // any JSON; null when absent
  base::Json tool_response;            // string, array of content blocks, object; null when absent
  std::string error;                   // PostToolUseFailure
  std::string last_assistant_message;  // Stop
  std::string source;                  // SessionStart: startup, resume, clear, compact
  std::string reason;                  // SessionEnd
  std::string cwd;
  // What was mended to read it (ADR 47): with `mended`, U+FFFD in it stands for what only the tool
  // knows. `unread`: why a part of it cannot be judged; empty: it can.
  bool mended = false;
  std::string unread;
};

// kInvalid: not an object, no hook_event_name or session_id, a field of a wrong type. Unknown
// fields pass.
base::Result<HookEvent> DecodeHookEvent(const base::Json& body);

struct HookAnswer {
  std::string additional_context;   // empty: none
  std::string permission_decision;  // "", "deny"
  std::string permission_decision_reason;
};
// {} when there is nothing to say, else {"hookSpecificOutput": {…}}.
base::Json EncodeHookAnswer(const HookEvent& event, const HookAnswer& answer);

}  // namespace api
