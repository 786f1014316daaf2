// Claude Code: a line is a message of the user or the assistant, or bookkeeping. A user's message
// holds the person's words, or the results of tools. Lines of a sub-agent (isSidechain) have its
// calls; its prompt is no person's, and its answer no answer to one.
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "sidecar/replay/transcript_events.h"
#include "sidecar/text/persons_words.h"

namespace sidecar {
namespace {

using base::Json;

bool Is(const Json& line, const char* flag) {
  const Json* value = base::At(line, {flag});
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

// A string, or the texts of content blocks.
std::string TextOf(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const Json& block : content) {
    if (base::StringAt(block, {"type"}) != "text") continue;
    const std::string part = base::StringAt(block, {"text"});
    text += (text.empty() || part.empty() ? "" : "\n") + part;
  }
  return text;
}

// Calls that did not run: refused by the person, by a rule or by the check of their arguments. The
// hooks see no result of them.
bool DidNotRun(const std::string& error) {
  constexpr std::string_view kBeginnings[] = {"The user doesn't want to",
                                              "[Request interrupted by user", "<tool_use_error>",
                                              "Permission to use", "PreToolUse:"};
  for (const std::string_view beginning : kBeginnings)
    if (error.starts_with(beginning)) return true;
  return false;
}

class ClaudeTranscript : public TranscriptFormat {
 public:
  std::vector<PastEvent> ReadLine(Json line) override {
    std::vector<PastEvent> events;
    if (const auto at_ms = base::ParseTime(base::StringAt(line, {"timestamp"}))) at_ms_ = *at_ms;
    const std::string type = base::StringAt(line, {"type"});
    if (type == "user") TakeUser(line, events);
    if (type == "assistant") TakeAssistant(line);
    if (type == "attachment") TakeQueued(line, events);
    return events;
  }

  std::vector<PastEvent> Finish() override {
    std::vector<PastEvent> events;
    turn_.End(events);
    return events;
  }

 private:
  void TakeUser(Json& line, std::vector<PastEvent>& events) {
    const Json* found = base::At(line, {"message", "content"});
    if (found == nullptr) return;
    Json& content = line["message"]["content"];
    if (content.is_array()) TakeResults(line, content, events);
    const bool of_client = Is(line, "isSidechain") || Is(line, "isMeta") ||
                           Is(line, "isCompactSummary") || Is(line, "isVisibleInTranscriptOnly");
    if (of_client) return;
    const std::string text = TextOf(content);
    if (IsInterruption(text)) turn_.Interrupt();
    Prompt(text, line, events);
  }

  // A prompt that waited while the agent worked.
  void TakeQueued(const Json& line, std::vector<PastEvent>& events) {
    const Json* attachment = base::At(line, {"attachment"});
    if (attachment == nullptr || base::StringAt(*attachment, {"type"}) != "queued_command") return;
    if (base::StringAt(*attachment, {"commandMode"}, "prompt") != "prompt") return;
    if (Is(line, "isSidechain") || Is(*attachment, "isMeta")) return;
    const Json* prompt = base::At(*attachment, {"prompt"});
    if (prompt != nullptr) Prompt(TextOf(*prompt), line, events);
  }

  void Prompt(const std::string& text, const Json& line, std::vector<PastEvent>& events) {
    std::string words = PersonsWords(text);
    if (base::IsBlank(words)) return;
    turn_.End(events);
    turn_.Prompt(std::move(words), base::StringAt(line, {"promptId"}), at_ms_, events);
  }

  void TakeResults(Json& line, Json& content, std::vector<PastEvent>& events) {
    size_t results = 0;
    for (const Json& block : content) results += base::StringAt(block, {"type"}) == "tool_result";
    for (Json& block : content) {
      if (base::StringAt(block, {"type"}) != "tool_result") continue;
      const std::string id = base::StringAt(block, {"tool_use_id"});
      Json said = block.contains("content") ? std::move(block["content"]) : Json();
      if (Is(block, "is_error")) {
        const std::string error = TextOf(said);
        if (DidNotRun(error))
          turn_.Forget(id);
        else
          turn_.Result(id, nullptr, &error, at_ms_, events);
        continue;
      }
      // The hooks get the tool's own result, of which the model's is a rendering.
      const bool has_own = results == 1 && line.contains("toolUseResult");
      turn_.Result(id, has_own ? std::move(line["toolUseResult"]) : std::move(said), nullptr,
                   at_ms_, events);
    }
  }

  void TakeAssistant(Json& line) {
    const bool of_subagent = Is(line, "isSidechain");
    // Errors of the API and the like, which the client writes.
    if (Is(line, "isApiErrorMessage") ||
        base::StringAt(line, {"message", "model"}) == "<synthetic>")
      return;
    const Json* content = base::At(line, {"message", "content"});
    if (content == nullptr) return;
    const std::string message = base::StringAt(line, {"message", "id"});
    if (content->is_string() && !of_subagent && !base::IsBlank(content->get<std::string>()))
      turn_.Say(content->get<std::string>(), message, at_ms_);
    if (!content->is_array()) return;
    for (Json& block : line["message"]["content"]) {
      const std::string type = base::StringAt(block, {"type"});
      if (type == "tool_use")
        turn_.Call(base::StringAt(block, {"id"}), base::StringAt(block, {"name"}),
                   block.contains("input") ? std::move(block["input"]) : Json(), of_subagent);
      const std::string text = type == "text" ? base::StringAt(block, {"text"}) : "";
      if (!of_subagent && !base::IsBlank(text)) turn_.Say(text, message, at_ms_);
    }
  }

  OpenTurn turn_;
  int64_t at_ms_ = 0;
};

}  // namespace

std::unique_ptr<TranscriptFormat> ClaudeFormat() { return std::make_unique<ClaudeTranscript>(); }

}  // namespace sidecar
