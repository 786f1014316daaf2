// The events that both formats make.
#include <utility>

#include "sidecar/replay/transcript_events.h"

namespace sidecar {
namespace {

constexpr size_t kMostOpenCalls = 1'000;

using EventKind = api::HookEvent::Kind;

PastEvent Make(EventKind kind, const char* name, int64_t at_ms) {
  PastEvent made;
  made.event.kind = kind;
  made.event.name = name;
  made.at_ms = at_ms;
  return made;
}

}  // namespace

void OpenTurn::Say(const std::string& text, const std::string& message_id, int64_t at_ms) {
  const bool same = !message_id.empty() && message_id == answer_id_ && !answer_.empty();
  answer_ = same ? answer_ + "\n" + text : text;
  answer_id_ = message_id;
  answered_ms_ = at_ms;
}

void OpenTurn::Call(const std::string& id, std::string name, base::Json input, bool of_subagent) {
  if (!of_subagent) answer_.clear();  // text before a call is no last answer
  if (id.empty() || name.empty() || calls_.size() >= kMostOpenCalls) return;
  calls_[id] = {std::move(name), std::move(input)};
}

void OpenTurn::End(std::vector<PastEvent>& events) {
  if (answer_.empty()) return;
  PastEvent stop = Make(EventKind::kStop, "Stop", answered_ms_);
  stop.event.last_assistant_message = std::exchange(answer_, {});
  events.push_back(std::move(stop));
}

void OpenTurn::Prompt(std::string text, std::string prompt_id, int64_t at_ms,
                      std::vector<PastEvent>& events) {
  PastEvent prompt = Make(EventKind::kUserPromptSubmit, "UserPromptSubmit", at_ms);
  prompt.event.prompt = std::move(text);
  prompt.event.prompt_id = std::move(prompt_id);
  events.push_back(std::move(prompt));
}

void OpenTurn::Result(const std::string& id, base::Json response, const std::string* error,
                      int64_t at_ms, std::vector<PastEvent>& events) {
  auto call = calls_.extract(id);
  if (call.empty()) return;
  PastEvent result = error == nullptr
                         ? Make(EventKind::kPostToolUse, "PostToolUse", at_ms)
                         : Make(EventKind::kPostToolUseFailure, "PostToolUseFailure", at_ms);
  result.event.tool_use_id = id;
  result.event.tool_name = std::move(call.mapped().name);
  result.event.tool_input = std::move(call.mapped().input);
  if (error == nullptr) result.event.tool_response = std::move(response);
  if (error != nullptr) result.event.error = *error;
  events.push_back(std::move(result));
}

}  // namespace sidecar
