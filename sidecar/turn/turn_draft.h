// Plans the writes of one hook event: messages, captures, a denial, the beginning and end of
// sessions. turn_commit.h writes them. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/conversation/message.h"
#include "lib/conversation/task/task_changes.h"
#include "lib/redaction/redaction.h"
#include "sidecar/denial/denial.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/rules/capture.h"
#include "sidecar/rules/commits.h"

namespace sidecar {

struct TurnDraft {
  api::HookEvent event;   // redacted, without tool_response
  std::string output;     // redacted text of tool_response
  std::string event_key;  // deduplication key; empty when the event has none
  std::string call_id;    // of the tool call; a hash of the call if the agent gave none
  std::vector<conversation::Message> messages;
  std::vector<RuleVerdict> verdicts;  // of every save rule, for a tool's result
  std::vector<Capture> captures;
  conversation::TaskChanges task;     // changes of the task by a tool's result
  std::string denial;                 // PreToolUse: the reason; empty: allowed
  std::vector<std::string> unjudged;  // PreToolUse: arguments that the policy's lists cannot judge
  bool audited = false;               // the tool is one of auditTools
  redaction::Redactor::Counts redactions;
  bool truncated = false;                // texts over 256 KiB were cut to head and tail
  std::vector<std::string> over_budget;  // steps that exceeded kHookBudgetUs: denial, redaction
  bool transcript_there =
      false;  // SessionStart: the runtime's file of the conversation has content

  bool BeginsTurn() const { return event.kind == api::HookEvent::Kind::kUserPromptSubmit; }
  bool EndsTurn() const { return event.kind == api::HookEvent::Kind::kStop; }
  bool EndsSession() const { return event.kind == api::HookEvent::Kind::kSessionEnd; }
  // SessionStart after a clear or a compaction, or a resume whose transcript is not to be seen: the
  // injections are lost. A runtime that resumes with its transcript still has them.
  bool ClearsTranscript() const;
};

// The clock and the questions to the file system of a draft. The defaults read nothing, so that the
// same event gives the same draft.
struct DraftSources {
  CpuClock spent = [] { return int64_t{0}; };
  RealPath real_path = [](const std::string& path) { return path; };
  std::function<bool(const std::string& path)> has_content = [](const std::string&) {
    return false;
  };
  CommitSource commit = [](const CommitQuery&) { return std::nullopt; };  // by absolute directories
};

TurnDraft DraftTurn(const ActivePolicy& policy, api::HookEvent event, const DraftSources& sources);

// The body of POST /observations for a capture of the draft. A name over the wire's limit is cut
// and ends in the hash of the whole name, so that different names stay different.
base::Json ObservationBody(const TurnDraft& draft, const Capture& capture,
                           const std::string& session, const api::Policy& policy);

}  // namespace sidecar
