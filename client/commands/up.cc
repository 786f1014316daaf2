// up, down: start and stop memory on this machine.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <ostream>

#include "client/commands/runs.h"
#include "client/laptop/control.h"
#include "client/laptop/peer_breaker.h"
#include "client/laptop/repository.h"
#include "client/laptop/starter_policy.h"
#include "client/laptop/up_detached.h"
#include "client/laptop/user_unit.h"
#include "lib/api/memory_api.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/process/random.h"
#include "lib/base/process/shutdown.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Code;
using base::Result;

constexpr int64_t kLockMs = 2'000, kOtherMs = 60'000, kDownMs = 60'000, kDetachMs = 70'000;
constexpr size_t kPolicyBytes = 1 << 20;

// Writes lines; any thread.
class Progress {
 public:
  explicit Progress(std::ostream& out) : out_(out) {}
  void operator()(const std::string& line) {
    const std::lock_guard lock(mutex_);
    out_ << Inert(line) << std::endl;
  }

 private:
  std::mutex mutex_;
  std::ostream& out_;
};

// An unedited policy.json follows the version. Leaves a link alone: its file is somebody's.
base::Status WriteStarterPolicy(const Home& home, Progress& say) {
  const std::string file = home.File("policy.json");
  const auto there = base::ReadFile(file, kPolicyBytes);
  if (!there && there.error().code != Code::kNotFound) return {};  // WritePolicy says what is wrong
  std::error_code unknown;
  if (std::filesystem::is_symlink(file, unknown) || (there && !IsEarlierStarter(*there))) return {};
  RETURN_IF_ERROR(base::ReplaceFile(file, StarterPolicy()));
  say(there ? file + " was the unedited one of an earlier version: it has the new defaults"
            : "wrote " + file + ": the rules of what is saved automatically; edit it as needed");
  return {};
}

// Tells a person once which defaults of this version an edited policy.json lacks.
void TellAbsentDefaults(Call& call, const Home& home) {
  const auto policy = base::ReadFile(home.File("policy.json"), kPolicyBytes);
  const auto absent = policy ? AbsentDefaults(*policy) : std::vector<std::string>();
  const std::string fields = base::Join(absent, ", "), told = home.File("policy.told");
  if (absent.empty() || base::ReadFile(told, kPolicyBytes).value_or("") == fields) return;
  call.out
      << "your " << Inert(home.File("policy.json"))
      << " stays as you edited it, without these defaults of new users: memory." << fields
      << ". Add those that you want (docs/laptop.md, Policy), or remove the file to get the new "
         "one. This is said once.\n";
  if (const auto kept = base::ReplaceFile(told, fields); !kept) call.Fail(kept.error());
}

Result<Programs> FindPrograms() {
  ASSIGN_OR_RETURN(const std::string server, FindProgram("agent-memory-server"));
  ASSIGN_OR_RETURN(const std::string sidecar, FindProgram("agent-memory-sidecar"));
  return Programs{server, sidecar};
}

// The repository of the current directory; none outside of one, unless --project is given.
Result<std::optional<Repository>> RepositoryHere(const Call& call) {
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  const std::string name = call.Text("project");
  if (base::CountCharacters(base::ToUtf8(name)) > api::kMaxProject || base::ToUtf8(name) != name)
    return base::Error{Code::kInvalid, "--project: a name has at most " +
                                           std::to_string(api::kMaxProject) +
                                           " characters of UTF-8"};
  ASSIGN_OR_RETURN(const Repository found, RepositoryOf(error ? "." : here.string()));
  if (!found.versioned && name.empty()) return std::optional<Repository>();
  return std::optional<Repository>(found);
}

// Waits for the running `up`, then prints `said` and the project of this repository.
int SayUp(Call& call, const Home& home, const std::string& said) {
  const auto control = WaitForControl(home, kOtherMs);
  if (!control) return call.Fail(base::Wrap(home.folder() + " is in use", control.error()));
  call.out << said << "\n";
  TellAbsentDefaults(call, home);
  const auto repository = RepositoryHere(call);
  if (!repository) return call.Fail(repository.error());
  if (!*repository) return kOk;
  const auto project = control->Use((*repository)->root, call.Text("project"));
  if (!project) return call.Fail(project.error());
  call.out << "project " << Inert(project->name) << " (" << Inert(project->root) << ") at "
           << project->url << "\n";
  return kOk;
}

// Runs until SIGINT, SIGTERM or `down`.
int Serve(Call& call, const Home& home, const Programs& programs, Progress& say) {
  const auto repository = RepositoryHere(call);
  if (!repository) return call.Fail(repository.error());
  Supervisor supervisor(home, programs, [&](const std::string& line) { say(line); });
  if (const auto started = supervisor.Start(); !started) return call.Fail(started.error());
  say("memory server at " + supervisor.server_url());
  const std::string token = base::RandomHex(32);
  auto control = StartControlServer(supervisor, token, [] { kill(getpid(), SIGTERM); });
  if (!control) return call.Fail(control.error());
  if (*repository) {
    const auto project = supervisor.Use((*repository)->root, call.Text("project"));
    if (!project) return call.Fail(project.error());
  }
  const auto saved = home.SaveRunning({"http://" + (*control)->address(), token, getpid()});
  if (!saved) return call.Fail(saved.error());
  say("memory is up; 'agent-memory setup claude-code' connects an agent, Ctrl-C or "
      "'agent-memory down' ends it");
  base::WaitForShutdown();
  say("ending …");
  home.ForgetRunning();
  (*control)->Stop(1000);
  supervisor.Stop();
  say("memory is down; nothing is lost");
  return kOk;
}

}  // namespace

int Up(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  if (const auto made = home->Make(); !made) return call.Fail(made.error());
  const auto programs = FindPrograms();
  if (!programs) return call.Fail(programs.error());
  if (call.settings.Bool("install")) {
    const auto unit = InstallUserUnit(home->folder());
    if (!unit) return call.Fail(unit.error());
    call.out << "wrote " << *unit << "; now run: systemctl --user enable --now agent-memory\n";
    return kOk;
  }
  if (call.settings.Bool("detach")) {
    const auto control = StartDetached(*home, kDetachMs);
    if (!control) return call.Fail(control.error());
    return SayUp(call, *home,
                 "memory is up; 'agent-memory setup claude-code' connects an agent, "
                 "'agent-memory down' ends it");
  }
  base::SetLogLevel(base::Level::kWarn);
  const bool may_start = home->stopped() && !call.settings.Bool("unless-stopped");
  const auto lock = base::DirectoryLock::Acquire(home->folder(), kLockMs);
  if (!lock) {
    return lock.error().code == Code::kConflict ? SayUp(call, *home, "memory is up already")
                                                : call.Fail(lock.error());
  }
  // `down` ended the holder of the lock, and is not to be undone by an `up` that waited for it.
  if (home->stopped() && !may_start) return call.Fail(StoppedByDown());
  home->ForgetRunning();  // a crash may have left run.json
  home->SetStopped(false);
  Progress say(call.out);
  say("memory is kept in " + home->folder());
  if (const auto written = WriteStarterPolicy(*home, say); !written)
    return call.Fail(written.error());
  if (isatty(STDOUT_FILENO) == 1) TellAbsentDefaults(call, *home);  // else a log, or `up --detach`
  return Serve(call, *home, *programs, say);
}

int Down(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  auto control = WaitForControl(*home, kOtherMs);
  const bool hung = !control && control.error().code == Code::kTimeout;
  if (!control && !hung && control.error().code != Code::kNotFound)
    return call.Fail(control.error());
  if (access(home->folder().c_str(), F_OK) == 0) home->SetStopped(true);
  if (!control && !hung) {
    call.out << "memory is not up\n";
    return kOk;
  }
  const auto stopped = hung ? EndHungSupervisor(*home) : control->Stop();
  if (!stopped) return call.Fail(stopped.error());
  const auto lock = base::DirectoryLock::Acquire(home->folder(), kDownMs);
  if (!lock) return call.Fail(lock.error());
  call.out << "memory is down; hooks do nothing until 'agent-memory up'\n";
  return kOk;
}

}  // namespace client
