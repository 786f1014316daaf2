// Paths and hook events of each agent, and the edits of its JSON or TOML files.
#include "client/agents/edits.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "client/agents/settings.h"
#include "lib/base/process/file.h"

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

FileEdit HooksEdit(const std::string& file, const std::string& program,
                   const std::vector<std::string>& events) {
  return {file, std::to_string(events.size()) + " hooks",
          [=](const std::string& text) {
            return Changed(text, [&](Settings& now) { return AddHooks(now, program, events); });
          },
          [](const std::string& text, const std::string&) {
            return Changed(text, [](Settings& now) {
              RemoveHooks(now);
              return Status();
            });
          }};
}

// Hooks, and the permission to use the tools of our server.
FileEdit HooksAndPermissionEdit(const std::string& file, const std::string& program,
                                const std::vector<std::string>& events, const std::string& rule) {
  FileEdit edit = HooksEdit(file, program, events);
  edit.what += ", and the permission " + rule + ": its tools run without asking";
  edit.with = [=](const std::string& text) {
    return Changed(text, [&](Settings& now) -> Status {
      RETURN_IF_ERROR(AddHooks(now, program, events));
      return AddPermission(now, rule);
    });
  };
  edit.without = [=](const std::string& text, const std::string& earlier) {
    return Changed(text, [&](Settings& now) -> Status {
      // A rule of people who were never connected is theirs.
      const bool connected = HasOurHooks(now);
      RemoveHooks(now);
      const auto before = ReadSettings(earlier);
      const bool theirs = before && HasPermission(*before, rule);
      if (connected && !theirs) RemovePermission(now, rule);
      return {};
    });
  };
  return edit;
}

std::vector<FileEdit> ClaudeCodeEdits(const std::string& user, const std::string& program) {
  const std::string own = Variable("CLAUDE_CONFIG_DIR");
  const std::string folder = own.empty() ? user + "/.claude" : own;
  const std::string servers = (own.empty() ? user : own) + "/.claude.json";
  // A file that cannot be read or parsed is the error of its own edit.
  const auto known = ReadSettings(base::ReadFile(servers).value_or(""));
  const std::string name = ServerName(known ? *known : Settings::object(), program);
  return {HooksAndPermissionEdit(folder + "/settings.json", program,
                                 {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
                                  "PostToolUseFailure", "Stop", "SessionEnd"},
                                 "mcp__" + name),
          {servers, "the MCP server " + name,
           [=](const std::string& text) {
             return Changed(text, [&](Settings& now) { return AddServer(now, program); });
           },
           [](const std::string& text, const std::string&) {
             return Changed(text, [](Settings& now) {
               RemoveServer(now);
               return Status();
             });
           }}};
}

std::vector<FileEdit> CodexEdits(const std::string& user, const std::string& program) {
  const std::string own = Variable("CODEX_HOME");
  const std::string folder = own.empty() ? user + "/.codex" : own;
  return {HooksEdit(folder + "/hooks.json", program,
                    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}),
          {folder + "/config.toml", "an MCP server",
           [=](const std::string& text) { return WithServerBlock(text, program); },
           [](const std::string& text, const std::string&) { return WithoutServerBlock(text); }}};
}

}  // namespace

std::vector<FileEdit> EditsOf(const std::string& agent, const std::string& user,
                              const std::string& program) {
  if (agent == "claude-code") return ClaudeCodeEdits(user, program);
  if (agent == "codex") return CodexEdits(user, program);
  return {};
}

}  // namespace client
