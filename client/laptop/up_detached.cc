// Runs this program's own file with posix_spawn.
#include "client/laptop/up_detached.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "client/laptop/peer_breaker.h"
#include "lib/base/process/file.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Result;

constexpr int64_t kPollMs = 20;
constexpr uintmax_t kLogBytes = 1 << 20;

std::string LastLine(std::string_view text) {
  text = base::Trim(text);
  const size_t end = text.rfind('\n');
  return std::string(end == std::string_view::npos ? text : text.substr(end + 1));
}

// Runs this program with these words. Returns the pid.
Result<int> Spawn(const Home& home, const std::vector<std::string>& words, const std::string& log) {
  char program[4096] = "";
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
    return Error{Code::kInternal, "cannot find this program's own file"};
  std::error_code ignored;
  if (std::filesystem::file_size(log, ignored) > kLogBytes && !ignored)
    std::filesystem::rename(log, log + ".1", ignored);
  std::vector<std::string> all = {program};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--home", home.folder()});
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto environment = CleanEnvironment();
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  // Leaves the caller's directory, whose file system could not be unmounted otherwise.
  posix_spawn_file_actions_addchdir_np(&files, home.folder().c_str());
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  int pid = 0;
  const int failed = posix_spawn(&pid, program, &files, &how, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (failed != 0)
    return Error{Code::kInternal, std::string("start ") + program + ": " + std::strerror(failed)};
  return pid;
}

}  // namespace

Result<ControlClient> WaitForControl(const Home& home, int64_t wait_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  while (true) {
    auto control = ControlClient::Reach(home);
    if (control || control.error().code != Code::kUnavailable) return control;
    if (std::chrono::steady_clock::now() >= end) return control;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
}

namespace {

// What programs run that start memory by themselves.
const std::vector<std::string> kUpUnlessStopped = {"up", "--unless-stopped"};

Result<ControlClient> Start(const Home& home, const std::vector<std::string>& words,
                            int64_t wait_ms) {
  RETURN_IF_ERROR(home.Make());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  int pid = 0;
  bool ended = false;
  while (true) {
    auto control = WaitForControl(home, 0);
    if (control) return control;
    // Concurrent callers may each spawn one; all but one of them find the folder locked and end.
    const bool down = control.error().code == Code::kNotFound;
    if (!down && control.error().code != Code::kUnavailable) return control;
    if (std::chrono::steady_clock::now() >= end || (down && ended)) break;
    if (down && pid == 0) {
      ASSIGN_OR_RETURN(pid, Spawn(home, words, home.File("up.log")));
    }
    int status = 0;
    if (pid != 0 && !ended) ended = waitpid(pid, &status, WNOHANG) == pid;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
  const std::string said = base::ReadFile(home.File("up.log"), 4 << 20).value_or("");
  return Error{Code::kUnavailable, "memory did not come up: " + LastLine(said)};
}

}  // namespace

Result<ControlClient> StartDetached(const Home& home, int64_t wait_ms) {
  return Start(home, {"up"}, wait_ms);
}

base::Status StartInBackground(const Home& home) {
  RETURN_IF_ERROR(home.Make());
  ASSIGN_OR_RETURN([[maybe_unused]] const int pid,
                   Spawn(home, kUpUnlessStopped, home.File("up.log")));
  return {};
}

base::Status RunInBackground(const Home& home, const std::vector<std::string>& words,
                             const std::string& log) {
  ASSIGN_OR_RETURN([[maybe_unused]] const int pid, Spawn(home, words, log));
  return {};
}

Result<ControlClient> ReachOrStart(const Home& home, int64_t wait_ms) {
  auto control = WaitForControl(home, wait_ms);
  if (!control && control.error().code == Code::kTimeout && !home.stopped()) {
    RETURN_IF_ERROR(EndHungSupervisor(home));
    return Start(home, kUpUnlessStopped, wait_ms);
  }
  if (control || control.error().code != Code::kNotFound || home.stopped()) return control;
  return Start(home, kUpUnlessStopped, wait_ms);
}

Error StoppedByDown() {
  return {Code::kInvalid,
          "memory was stopped by 'agent-memory down': start it with 'agent-memory up'"};
}

}  // namespace client
