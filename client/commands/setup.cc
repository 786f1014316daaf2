// setup: connects an agent of this machine to its memory, and undoes that.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "client/agents/edits.h"
#include "client/agents/settings.h"
#include "client/commands/runs.h"
#include "client/programs/child.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;
using base::Status;

std::string BackupOf(const std::string& file) { return file + ".before-agent-memory"; }

// The file that a name leads to, also if it does not exist yet.
std::string BehindLinks(std::string file) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    const fs::path target = fs::read_symlink(file, error);
    if (error) break;
    file = (fs::path(file).parent_path() / target).lexically_normal().string();
  }
  return file;
}

// Replaces the file behind symbolic links atomically and keeps its mode.
Status Write(const std::string& file, const std::string& text) {
  const std::string path = BehindLinks(file);
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

// What becomes of a file. Made for all files before the first one is written, so that a faulty one
// changes nothing.
struct Plan {
  std::string file, what, before, after;
  bool keep_backup = false;  // `before` is the user's, without an entry of ours
  bool remove_backup = false;
};

Result<Plan> PlanSetup(const FileEdit& edit) {
  Plan plan;
  plan.file = edit.file;
  plan.what = edit.what;
  ASSIGN_OR_RETURN(plan.before, ReadIfThere(edit.file));
  ASSIGN_OR_RETURN(plan.after, edit.with(plan.before));
  if (plan.before.empty()) return plan;
  ASSIGN_OR_RETURN(const std::string pristine, edit.without(plan.before, ""));
  // Only of a file without our entries: a second setup keeps the first backup.
  plan.keep_backup = pristine == plan.before;
  return plan;
}

Result<Plan> PlanUndo(const FileEdit& edit) {
  Plan plan;
  plan.file = edit.file;
  plan.what = edit.what;
  ASSIGN_OR_RETURN(plan.before, ReadIfThere(edit.file));
  const auto kept = base::ReadFile(BackupOf(edit.file));
  ASSIGN_OR_RETURN(plan.after, edit.without(plan.before, kept ? *kept : ""));
  plan.remove_backup = static_cast<bool>(kept);
  if (!kept) return plan;
  // Restores the backup byte for byte if the file has no later changes.
  const auto same = edit.with(*kept);
  if (same && *same == plan.before) plan.after = *kept;
  return plan;
}

// Returns whether the file changed.
Result<bool> Apply(const Plan& plan) {
  const bool changes = plan.after != plan.before;
  if (changes && plan.keep_backup)
    RETURN_IF_ERROR(base::ReplaceFile(BackupOf(plan.file), plan.before));
  if (changes && plan.after.empty() && !plan.remove_backup) {
    unlink(BehindLinks(plan.file).c_str());
  } else if (changes) {
    RETURN_IF_ERROR(Write(plan.file, plan.after));
  }
  if (changes && plan.remove_backup) unlink(BackupOf(plan.file).c_str());
  return changes;
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
  std::vector<Plan> plans;
  for (const FileEdit& edit : edits) {
    auto plan = undo ? PlanUndo(edit) : PlanSetup(edit);
    if (!plan) {
      return call.Fail(
          Error{plan.error().code, edit.file + ": " + plan.error().message +
                                       "; no file was changed: mend it, then try again"});
    }
    plans.push_back(*std::move(plan));
  }
  for (const Plan& plan : plans) {
    const auto changed = Apply(plan);
    if (!changed) return call.Fail(base::Wrap(plan.file, changed.error()));
    std::error_code ignored;
    const std::string backup = BackupOf(plan.file);
    const char* done = !*changed ? "as it should be: " : undo ? "removed from " : "added to ";
    call.out << done << Inert(plan.file) << ": " << Inert(plan.what)
             << (*changed && !undo && fs::exists(backup, ignored)
                     ? " (before: " + Inert(backup) + ")"
                     : "")
             << "\n";
  }
  if (undo) return kOk;
  call.out << (agent == "codex" ? "Codex asks once whether to trust the hooks: /hooks\n" : "")
           << "restart the agent; it starts the memory, and 'agent-memory status' shows it\n";
  return kOk;
}

}  // namespace client
