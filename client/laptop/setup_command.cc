// setup: connects an agent of this machine to its memory, and takes that back.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <ostream>

#include "client/command_runs.h"
#include "client/laptop/agent_settings.h"
#include "client/laptop/this_program.h"
#include "lib/base/file.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;
using base::Status;

// One file: what it becomes by setup and by --undo.
struct FileEdit {
  std::string file;
  std::function<Result<std::string>(const std::string&text)> with, without;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

using Change = std::function<Status(Settings&)>;

// JSON text before and after. A file that is empty or not there is an empty object, and no file
// again when nothing is left in it.
Result<std::string> Changed(const std::string& text, const Change& change) {
  Settings settings = Settings::object();
  if (!text.empty()) {
    // Strict, for its message; the second reading keeps the order of the keys.
    ASSIGN_OR_RETURN([[maybe_unused]] const base::Json strict, base::ParseJson(text));
    settings = Settings::parse(text, nullptr, false);
  }
  const Settings before = settings;
  RETURN_IF_ERROR(change(settings));
  if (settings == before) return text;
  return settings.empty() ? "" : settings.dump(2) + "\n";
}

FileEdit JsonEdit(std::string file, Change with, Change without) {
  return {std::move(file), [with](const std::string& text) { return Changed(text, with); },
          [without](const std::string& text) { return Changed(text, without); }};
}

FileEdit HooksEdit(const std::string& file, const std::string& program,
                   std::vector<std::string> events) {
  return JsonEdit(
      file, [=](Settings& settings) { return AddHooks(settings, program, events); },
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
           [](const std::string& text) { return Result<std::string>(WithoutServerBlock(text)); }}};
}

std::string BackupOf(const std::string& file) { return file + ".before-agent-memory"; }

// The file behind links, written whole with the mode that it had.
Status Write(const std::string& file, const std::string& text) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  const std::string path = error ? file : real.string();
  struct stat found {};
  const bool there = stat(path.c_str(), &found) == 0;
  RETURN_IF_ERROR(base::MakeDirectories(fs::path(path).parent_path().string()));
  RETURN_IF_ERROR(base::ReplaceFile(path, text));
  if (there && chmod(path.c_str(), found.st_mode & 07777) != 0)
    return Error{Code::kInternal, "cannot give " + path + " its mode back"};
  return {};
}

Result<std::string> ReadIfThere(const std::string& file) {
  auto text = base::ReadFile(file);
  if (!text && text.error().code == Code::kNotFound) return std::string();
  return text;
}

Status Undo(const FileEdit& edit, const std::string& before) {
  ASSIGN_OR_RETURN(std::string after, edit.without(before));
  const std::string backup = BackupOf(edit.file);
  const auto kept = base::ReadFile(backup);
  if (kept) {
    // What the user wrote, as it was written, where nothing else changed since.
    const auto same = edit.with(*kept);
    if (same && *same == before) after = *kept;
  }
  if (after == before) return {};
  if (after.empty() && !kept) {
    unlink(edit.file.c_str());
  } else {
    RETURN_IF_ERROR(Write(edit.file, after));
  }
  unlink(backup.c_str());
  return {};
}

// True when the file changed.
Result<bool> Apply(const FileEdit& edit, bool undo) {
  ASSIGN_OR_RETURN(const std::string before, ReadIfThere(edit.file));
  if (undo) {
    RETURN_IF_ERROR(Undo(edit, before));
    ASSIGN_OR_RETURN(const std::string now, ReadIfThere(edit.file));
    return now != before;
  }
  ASSIGN_OR_RETURN(const std::string after, edit.with(before));
  if (after == before) return false;
  if (!before.empty()) {
    ASSIGN_OR_RETURN(const std::string pristine, edit.without(before));
    // Only of a file that has nothing of ours: a second setup keeps the first one's backup.
    if (pristine == before) RETURN_IF_ERROR(base::ReplaceFile(BackupOf(edit.file), before));
  }
  RETURN_IF_ERROR(Write(edit.file, after));
  return true;
}

int PrintForAnyClient(Call& call, const std::string& program) {
  Settings settings = Settings::object();
  if (const auto added = AddServer(settings, program); !added) return call.Fail(added.error());
  call.out << settings.dump(2) << "\n";
  call.err << "put this into the settings of your MCP client\n";
  return kOk;
}

}  // namespace

int Setup(Call& call) {
  const std::string user = Variable("HOME"), agent = call.arguments[0];
  const auto program = ThisProgram();
  if (!program) return call.Fail(program.error());
  if (!user.starts_with('/')) return call.Usage("HOME is not set: whose settings are meant?");
  std::vector<FileEdit> edits;
  if (agent == "claude-code") {
    edits = ClaudeCodeEdits(user, *program);
  } else if (agent == "codex") {
    edits = CodexEdits(user, *program);
  } else if (agent == "mcp") {
    return PrintForAnyClient(call, *program);
  } else {
    return call.Usage(
        "setup knows claude-code, codex and mcp (prints settings for any MCP "
        "client), and \"" +
        agent + "\" is none of them");
  }
  const bool undo = call.settings.Bool("undo");
  for (const FileEdit& edit : edits) {
    const auto changed = Apply(edit, undo);
    if (!changed) return call.Fail(base::Wrap(edit.file, changed.error()));
    std::error_code ignored;
    const bool backup = fs::exists(BackupOf(edit.file), ignored);
    call.out << (*changed ? "changed " : "as it should be: ") << Inert(edit.file)
             << (*changed && !undo && backup ? " (before: " + Inert(BackupOf(edit.file)) + ")" : "")
             << "\n";
  }
  if (undo) return kOk;
  call.out << (agent == "codex" ? "Codex asks once whether to trust the hooks: /hooks\n" : "")
           << "start the agent anew; memory comes up by itself, 'agent-memory status' shows it\n";
  return kOk;
}

}  // namespace client
