// setup: connects an agent of this machine to its memory, and undoes that.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "client/agents/edits.h"
#include "client/agents/settings.h"
#include "client/commands/runs.h"
#include "client/programs/this_program.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;
using base::Status;

std::string BackupOf(const std::string& file) { return file + ".before-agent-memory"; }

// Replaces the file behind symbolic links atomically and keeps its mode.
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
    // Restores the backup byte for byte if the file has no later changes.
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

// Returns whether the file changed.
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
    // Only for a file without our entries: a second setup keeps the first backup.
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
  const char* home = std::getenv("HOME");
  const std::string user = home == nullptr ? "" : home, agent = call.arguments[0];
  const auto program = ThisProgram();
  if (!program) return call.Fail(program.error());
  if (!user.starts_with('/'))
    return call.Usage("HOME is not set: it names the directory of the user's settings");
  if (agent == "mcp") return PrintForAnyClient(call, *program);
  const auto edits = EditsOf(agent, user, *program);
  if (edits.empty()) {
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
           << "restart the agent; it starts the memory, and 'agent-memory status' shows it\n";
  return kOk;
}

}  // namespace client
