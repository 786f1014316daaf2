// Paths and hook events of each agent, and the edits of its JSON or TOML files.
#include "client/agents/edits.h"

#include <cstdlib>

#include "client/agents/settings.h"

namespace client {
namespace {

using base::Result;
using base::Status;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

using Change = std::function<Status(Settings&)>;

// Applies `change` to a JSON text. Empty text (also a missing file) is an empty object, and an
// empty object becomes empty text again.
Result<std::string> Changed(const std::string& text, const Change& change) {
  ASSIGN_OR_RETURN(const Settings before, ReadSettings(text));
  Settings settings = before;
  RETURN_IF_ERROR(change(settings));
  return WithChanges(text, before, settings);
}

FileEdit JsonEdit(std::string file, Change with, Change without) {
  return {
      std::move(file),
      [with = std::move(with)](const std::string& text) { return Changed(text, with); },
      [without = std::move(without)](const std::string& text) { return Changed(text, without); }};
}

FileEdit HooksEdit(const std::string& file, const std::string& program,
                   std::vector<std::string> events) {
  return JsonEdit(
      file,
      [program, events = std::move(events)](Settings& settings) {
        return AddHooks(settings, program, events);
      },
      [](Settings& settings) {
        RemoveHooks(settings);
        return Status();
      });
}

std::vector<FileEdit> ClaudeCodeEdits(const std::string& user, const std::string& program) {
  const std::string own = Variable("CLAUDE_CONFIG_DIR");
  const std::string folder = own.empty() ? user + "/.claude" : own;
  return {HooksEdit(folder + "/settings.json", program,
                    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
                     "PostToolUseFailure", "Stop", "SessionEnd"}),
          JsonEdit((own.empty() ? user : own) + "/.claude.json",
                   [=](Settings& settings) { return AddServer(settings, program); },
                   [](Settings& settings) {
                     RemoveServer(settings);
                     return Status();
                   })};
}

std::vector<FileEdit> CodexEdits(const std::string& user, const std::string& program) {
  const std::string own = Variable("CODEX_HOME");
  const std::string folder = own.empty() ? user + "/.codex" : own;
  return {HooksEdit(folder + "/hooks.json", program,
                    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}),
          {folder + "/config.toml",
           [=](const std::string& text) { return WithServerBlock(text, program); },
           [](const std::string& text) { return WithoutServerBlock(text); }}};
}

}  // namespace

std::vector<FileEdit> EditsOf(const std::string& agent, const std::string& user,
                              const std::string& program) {
  if (agent == "claude-code") return ClaudeCodeEdits(user, program);
  if (agent == "codex") return CodexEdits(user, program);
  return {};
}

}  // namespace client
