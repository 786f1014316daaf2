// Hook events that a transcript stands for, with the times of its lines. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/base/json/json.h"

namespace sidecar {

struct PastEvent {
  api::HookEvent event;
  int64_t at_ms = 0;
};

// Reads the lines of one transcript in order. Lines of unknown types and parts of unknown forms
// give no events.
class TranscriptFormat {
 public:
  virtual ~TranscriptFormat() = default;
  virtual std::vector<PastEvent> ReadLine(base::Json line) = 0;
  virtual std::vector<PastEvent> Finish() = 0;  // after the last line
};

// Claude Code (~/.claude/projects) and Codex (~/.codex/sessions).
std::unique_ptr<TranscriptFormat> ClaudeFormat();
std::unique_ptr<TranscriptFormat> CodexFormat();

// The calls without a result, and the answer of the turn so far; shared by both formats.
class OpenTurn {
 public:
  void Say(const std::string& text, const std::string& message_id, int64_t at_ms);
  void Call(const std::string& id, std::string name, base::Json input, bool of_subagent);
  // The answer so far was no last one: the person interrupted it.
  void Interrupt() { answer_.clear(); }
  // A Stop event if the turn has an answer.
  void End(std::vector<PastEvent>& events);
  void Prompt(std::string text, std::string prompt_id, int64_t at_ms,
              std::vector<PastEvent>& events);
  // A PostToolUse event, or with `error` a PostToolUseFailure; nothing for an unknown call.
  void Result(const std::string& id, base::Json response, const std::string* error, int64_t at_ms,
              std::vector<PastEvent>& events);
  void Forget(const std::string& id) { calls_.erase(id); }

 private:
  struct Open {
    std::string name;
    base::Json input;
  };
  std::map<std::string, Open> calls_;
  std::string answer_, answer_id_;
  int64_t answered_ms_ = 0;
};

}  // namespace sidecar
