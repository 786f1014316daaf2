// From an event to its draft: shorten, redact, name, and hand to the save rules.
#include "sidecar/turn_draft.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text.h"
#include "sidecar/tool_text.h"

namespace sidecar {
namespace {

using Kind = api::HookEvent::Kind;
using base::Json;

bool IsToolResult(Kind kind) {
  return kind == Kind::kPostToolUse || kind == Kind::kPostToolUseFailure;
}

bool ShortenText(std::string& text) {
  Json value = std::move(text);
  const bool cut = ShortenStrings(value);
  text = value.get<std::string>();
  return cut;
}

// True when anything was cut.
bool Shorten(api::HookEvent& event) {
  bool cut = false;
  for (std::string* text : {&event.prompt, &event.error, &event.last_assistant_message}) {
    cut |= ShortenText(*text);
  }
  cut |= ShortenStrings(event.tool_input);
  cut |= ShortenStrings(event.tool_response);
  return cut;
}

void Redact(const Redactor& redactor, api::HookEvent& event, Redactor::Counts& counts) {
  for (std::string* text : {&event.prompt, &event.error, &event.last_assistant_message}) {
    *text = redactor.Redact(*text, counts);
  }
  redactor.RedactArguments(event.tool_input, counts);
  redactor.RedactStrings(event.tool_response, counts);
}

std::string HashOf(const Json& parts) {
  return base::Sha256Hex(base::DumpJson(parts)).substr(0, 24);
}

// The same for an event that is posted again. Prompts and answers have no id of their own: without
// the turn's prompt_id equal ones are taken for different, since people do repeat themselves.
std::string EventKey(const api::HookEvent& event) {
  switch (event.kind) {
    case Kind::kPreToolUse:
    case Kind::kPostToolUse:
    case Kind::kPostToolUseFailure:
      // With its contents: some runtimes count their calls from 1 in every turn.
      if (event.tool_use_id.empty()) return "";
      return event.name + ":" + event.tool_use_id + ":" +
             HashOf({event.tool_input, OutputText(event)});
    case Kind::kUserPromptSubmit:
    case Kind::kStop:
      if (event.prompt_id.empty()) return "";
      return event.name + ":" +
             HashOf({event.prompt_id, event.prompt, event.last_assistant_message});
    default:
      return "";
  }
}

conversation::Message MessageOf(const char* role, std::string content) {
  conversation::Message message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

// The call in the shape that chat models use, so that any runtime can go on from it.
conversation::Message CallMessage(const api::HookEvent& event, const std::string& call_id) {
  conversation::Message message = MessageOf("assistant", "");
  message.tool_calls =
      Json::array({{{"id", call_id},
                    {"type", "function"},
                    {"function",
                     {{"name", event.tool_name},
                      {"arguments", base::DumpJson(Arguments(event.tool_input))}}}}});
  return message;
}

std::vector<conversation::Message> MessagesOf(const api::HookEvent& event,
                                              const std::string& call_id) {
  if (event.kind == Kind::kUserPromptSubmit) return {MessageOf("user", event.prompt)};
  if (event.kind == Kind::kStop && !event.last_assistant_message.empty()) {
    return {MessageOf("assistant", event.last_assistant_message)};
  }
  if (!IsToolResult(event.kind)) return {};
  conversation::Message result = MessageOf("tool", OutputText(event));
  result.tool_call_id = call_id;
  result.is_error = event.kind == Kind::kPostToolUseFailure;
  return {CallMessage(event, call_id), std::move(result)};
}

bool IsAudited(const api::Policy& policy, const api::HookEvent& event) {
  if (!IsToolResult(event.kind) && event.kind != Kind::kPreToolUse) return false;
  return std::any_of(policy.audit_tools.begin(), policy.audit_tools.end(),
                     [&](const std::string& tool) { return ToolMatches(tool, event.tool_name); });
}

}  // namespace

bool TurnDraft::ClearsTranscript() const {
  return event.kind == Kind::kSessionStart &&
         (event.source == "compact" || event.source == "clear" || event.source == "resume");
}

TurnDraft DraftTurn(const ActivePolicy& policy, api::HookEvent event, const DraftSources& sources) {
  TurnDraft draft;
  draft.truncated = Shorten(event);
  draft.event_key = EventKey(event);
  draft.call_id = event.tool_use_id;
  const bool keep_raw = !policy.policy.redaction.working_memory;
  std::vector<conversation::Message> raw;
  if (IsToolResult(event.kind) && draft.call_id.empty()) {
    draft.call_id = "call-" + HashOf({event.tool_name, event.tool_input, OutputText(event)});
  }
  if (keep_raw) raw = MessagesOf(event, draft.call_id);
  if (event.kind == Kind::kPreToolUse) {
    Redactor::Counts counted_with_the_input;  // the reason repeats what stands there
    draft.denial = policy.redactor.Redact(DenialReason(policy.policy, event, sources.real_path),
                                          counted_with_the_input);
  }
  Redact(policy.redactor, event, draft.redactions);
  draft.messages = keep_raw ? std::move(raw) : MessagesOf(event, draft.call_id);
  if (IsToolResult(event.kind)) {
    Judgement judgement = policy.rules.Judge(event, sources.spent);
    draft.verdicts = std::move(judgement.verdicts);
    draft.captures = std::move(judgement.captures);
  }
  draft.audited = IsAudited(policy.policy, event);
  draft.event = std::move(event);
  return draft;
}

Json ObservationBody(const TurnDraft& draft, const Capture& capture, const std::string& session,
                     const api::Policy& policy) {
  api::NewObservation observation;
  observation.session_id = session;
  observation.type = capture.type;
  observation.title = capture.title;
  observation.content = capture.content;
  observation.project = policy.project;
  observation.scope = policy.allow_global ? capture.scope : "project";
  observation.tags = capture.tags;
  observation.source = {draft.event.tool_name, draft.call_id, capture.rule, api::kOriginRule};
  return api::EncodeNewObservation(observation);
}

}  // namespace sidecar
