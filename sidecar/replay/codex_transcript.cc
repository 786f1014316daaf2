// Codex: a line is {timestamp, type, payload}; older versions wrote the payload alone. What the
// person typed is the event user_message; where a file has none, the user's messages without what
// the client adds.
#include <charconv>
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "sidecar/replay/transcript_events.h"
#include "sidecar/text/persons_words.h"

namespace sidecar {
namespace {

using base::Json;

// The texts of content items: input_text, output_text.
std::string TextOfItems(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const Json& item : content) {
    const std::string part = base::StringAt(item, {"text"});
    text += (text.empty() || part.empty() ? "" : "\n") + part;
  }
  return text;
}

bool IsShell(std::string_view tool) {
  for (const std::string_view name :
       {"shell", "container.exec", "shell_command", "local_shell", "exec_command", "unified_exec"})
    if (tool == name) return true;
  return false;
}

// ["bash", "-lc", "git commit"] and {"cmd": "git commit"} as the hooks send it: the command.
std::string CommandOf(const Json& input) {
  for (const char* name : {"command", "cmd"}) {
    const Json* command = base::At(input, {name});
    if (command == nullptr) continue;
    if (command->is_string()) return command->get<std::string>();
    if (!command->is_array()) continue;
    std::vector<std::string> words;
    for (const Json& word : *command)
      if (word.is_string()) words.push_back(word.get<std::string>());
    const bool script = words.size() == 3 && words[1].starts_with("-") && words[1].ends_with("c");
    return script ? words[2] : base::Join(words, " ");
  }
  return "";
}

struct Output {
  std::string text;
  int64_t exit_code = 0;
};

int64_t NumberBehind(const std::string& text, std::string_view words) {
  const size_t at = text.substr(0, 400).find(words);
  int64_t number = 0;
  if (at == std::string::npos) return number;
  const char* digits = text.data() + at + words.size();
  std::from_chars(digits, text.data() + text.size(), number);
  return number;
}

// A text, {"content"}, content items, or as a string {"output", "metadata": {"exit_code"}}.
Output OutputOf(const Json& given) {
  Output output;
  if (given.is_object()) {
    const Json* content = base::At(given, {"content"});
    output.text = content != nullptr ? TextOfItems(*content) : base::StringAt(given, {"output"});
    const Json* success = base::At(given, {"success"});
    output.exit_code = success != nullptr && success->is_boolean() && !success->get<bool>();
    if (const Json* code = base::At(given, {"metadata", "exit_code"}); code && code->is_number())
      output.exit_code = code->get<int64_t>();
    return output;
  }
  output.text = TextOfItems(given);
  if (output.text.starts_with("{\"output\"")) {
    if (const auto inner = base::ParseJson(output.text); inner && inner->is_object())
      return OutputOf(*inner);
  }
  for (const char* words : {"Exit code: ", "Process exited with code "}) {
    if (const int64_t code = NumberBehind(output.text, words); code != 0) output.exit_code = code;
  }
  return output;
}

class CodexTranscript : public TranscriptFormat {
 public:
  std::vector<PastEvent> ReadLine(Json line) override {
    std::vector<PastEvent> events;
    if (!line.is_object()) return events;
    if (const auto at_ms = base::ParseTime(base::StringAt(line, {"timestamp"}))) at_ms_ = *at_ms;
    const bool wrapped = line.contains("payload") && line["payload"].is_object();
    const std::string type = wrapped ? base::StringAt(line, {"type"}) : "response_item";
    Json payload = wrapped ? std::move(line["payload"]) : std::move(line);
    if (type == "session_meta") TakeMeta(payload);
    if (type == "event_msg") TakeEvent(payload, events);
    if (type == "response_item") TakeItem(payload, events);
    return events;
  }

  std::vector<PastEvent> Finish() override {
    std::vector<PastEvent> events;
    EmitPending(events);
    turn_.End(events);
    return events;
  }

 private:
  // The prompts of a sub-agent's session are no person's.
  void TakeMeta(const Json& meta) {
    const Json* source = base::At(meta, {"source"});
    of_subagent_ = source != nullptr && source->is_object() && source->contains("subagent");
  }

  void TakeEvent(const Json& event, std::vector<PastEvent>& events) {
    const std::string type = base::StringAt(event, {"type"});
    if (type == "user_message") {
      has_events_ = true;
      pending_.clear();
      Prompt(base::StringAt(event, {"message"}), events);
    }
    if (type == "turn_aborted") turn_.Interrupt();
  }

  void TakeItem(Json& item, std::vector<PastEvent>& events) {
    const std::string type = base::StringAt(item, {"type"});
    const Json* content = base::At(item, {"content"});
    if (type == "message" && base::StringAt(item, {"role"}) == "user") {
      EmitPending(events);
      if (content != nullptr && !has_events_) pending_ = PersonsWords(TextOfItems(*content));
      return;
    }
    if (type == "message" && base::StringAt(item, {"role"}) == "assistant") {
      EmitPending(events);
      const std::string text = content != nullptr ? TextOfItems(*content) : "";
      if (!base::IsBlank(text)) turn_.Say(text, "", at_ms_);
    }
    if (type == "function_call" || type == "custom_tool_call" || type == "local_shell_call") {
      EmitPending(events);
      TakeCall(item, type);
    }
    if (type == "function_call_output" || type == "custom_tool_call_output")
      TakeOutput(item, events);
  }

  void TakeCall(const Json& item, const std::string& type) {
    std::string name = base::StringAt(item, {"name"});
    Json input;
    if (type == "function_call") {
      const auto parsed = base::ParseJson(base::StringAt(item, {"arguments"}));
      input = parsed ? *parsed : Json(base::StringAt(item, {"arguments"}));
    } else if (type == "local_shell_call") {
      name = "local_shell";
      if (const Json* action = base::At(item, {"action"})) input = *action;
    } else {
      input = {{"command", base::StringAt(item, {"input"})}};
    }
    if (IsShell(name)) {
      input = {{"command", CommandOf(input)}};
      name = "Bash";
    }
    const std::string id = base::StringAt(item, {"call_id"}, base::StringAt(item, {"id"}));
    turn_.Call(id, std::move(name), std::move(input), false);
  }

  void TakeOutput(const Json& item, std::vector<PastEvent>& events) {
    const Json* given = base::At(item, {"output"});
    const Output output = given != nullptr ? OutputOf(*given) : Output();
    const bool failed = output.exit_code != 0;
    turn_.Result(base::StringAt(item, {"call_id"}), output.text, failed ? &output.text : nullptr,
                 at_ms_, events);
  }

  void EmitPending(std::vector<PastEvent>& events) {
    if (pending_.empty()) return;
    Prompt(std::exchange(pending_, {}), events);
  }

  void Prompt(const std::string& text, std::vector<PastEvent>& events) {
    std::string words = PersonsWords(text);
    if (of_subagent_ || base::IsBlank(words)) return;
    turn_.End(events);
    turn_.Prompt(std::move(words), "", at_ms_, events);
  }

  OpenTurn turn_;
  int64_t at_ms_ = 0;
  bool has_events_ = false, of_subagent_ = false;
  std::string pending_;  // of a user's message that no event followed yet
};

}  // namespace

std::unique_ptr<TranscriptFormat> CodexFormat() { return std::make_unique<CodexTranscript>(); }

}  // namespace sidecar
