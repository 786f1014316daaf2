// Decodes hook events and encodes their answers, with the field names of Claude Code's hooks.
#include "lib/api/hook_event.h"

#include <utility>

#include "lib/base/text/nearest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/conversation.h"

namespace api {
namespace {

using base::Json;

constexpr std::pair<const char*, HookEvent::Kind> kKinds[] = {
    {"SessionStart", HookEvent::Kind::kSessionStart},
    {"UserPromptSubmit", HookEvent::Kind::kUserPromptSubmit},
    {"PreToolUse", HookEvent::Kind::kPreToolUse},
    {"PostToolUse", HookEvent::Kind::kPostToolUse},
    {"PostToolUseFailure", HookEvent::Kind::kPostToolUseFailure},
    {"Stop", HookEvent::Kind::kStop},
    {"SessionEnd", HookEvent::Kind::kSessionEnd},
};

HookEvent::Kind KindOf(const std::string& name) {
  for (const auto& [known, kind] : kKinds) {
    if (name == known) return kind;
  }
  return HookEvent::Kind::kOther;
}

base::Status ReadText(const Json& body, const char* field, std::string& into) {
  ASSIGN_OR_RETURN(auto text, base::OptionalString(body, field));
  if (text) into = std::move(*text);
  return {};
}

base::Status ReadTexts(const Json& body, HookEvent& event) {
  const std::pair<const char*, std::string*> fields[] = {
      {"prompt", &event.prompt},
      {"prompt_id", &event.prompt_id},
      {"tool_name", &event.tool_name},
      {"tool_use_id", &event.tool_use_id},
      {"error", &event.error},
      {"last_assistant_message", &event.last_assistant_message},
      {"source", &event.source},
      {"reason", &event.reason},
      {"cwd", &event.cwd},
      {"transcript_path", &event.transcript_path},
  };
  for (const auto& [name, target] : fields) RETURN_IF_ERROR(ReadText(body, name, *target));
  return {};
}

bool IsToolEvent(HookEvent::Kind kind) {
  return kind == HookEvent::Kind::kPreToolUse || kind == HookEvent::Kind::kPostToolUse ||
         kind == HookEvent::Kind::kPostToolUseFailure;
}

}  // namespace

std::string MeantEvent(const std::string& name) {
  constexpr size_t kShortest = 8;  // two changed letters make another word of a short one
  std::vector<std::string> known;
  for (const auto& [event, kind] : kKinds) {
    if (base::FoldCase(name) == base::FoldCase(event)) return event;
    known.emplace_back(event);
  }
  return name.size() < kShortest ? "" : base::NearestWord(name, known);
}

base::Result<HookEvent> DecodeHookEvent(const Json& body) {
  if (!body.is_object()) return base::Error{base::Code::kInvalid, "a hook event is a JSON object"};
  HookEvent event;
  ASSIGN_OR_RETURN(event.name, base::RequiredString(body, "hook_event_name"));
  ASSIGN_OR_RETURN(event.session_id, base::RequiredString(body, "session_id"));
  if (event.name.empty()) return base::Error{base::Code::kInvalid, "hook_event_name is empty"};
  if (event.session_id.empty() || event.session_id.size() > conversation::kMaxConversationIdBytes) {
    return base::Error{base::Code::kInvalid, "session_id must have 1 to 200 bytes"};
  }
  event.kind = KindOf(event.name);
  if (event.kind == HookEvent::Kind::kOther) return event;
  RETURN_IF_ERROR(ReadTexts(body, event));
  if (auto input = body.find("tool_input"); input != body.end()) event.tool_input = *input;
  if (auto output = body.find("tool_response"); output != body.end()) event.tool_response = *output;
  if (IsToolEvent(event.kind) && event.tool_name.empty()) {
    return base::Error{base::Code::kInvalid, event.name + " needs tool_name"};
  }
  return event;
}

Json EncodeHookAnswer(const HookEvent& event, const HookAnswer& answer) {
  Json specific = Json::object();
  if (!answer.additional_context.empty()) specific["additionalContext"] = answer.additional_context;
  if (!answer.permission_decision.empty()) {
    specific["permissionDecision"] = answer.permission_decision;
    specific["permissionDecisionReason"] = answer.permission_decision_reason;
  }
  Json encoded = Json::object();
  if (!answer.system_message.empty()) encoded["systemMessage"] = answer.system_message;
  if (specific.empty()) return encoded;
  specific["hookEventName"] = event.name;
  encoded["hookSpecificOutput"] = std::move(specific);
  return encoded;
}

}  // namespace api
