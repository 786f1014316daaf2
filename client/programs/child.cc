// Uses fork and exec, since posix_spawn sets no parent-death signal.
#include "client/programs/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "lib/base/process/config.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

// What a program needs of its user's shell. Settings of other programs (MEMORY_PORT,
// OPENAI_API_KEY, proxies) are not ours: on one machine flags and files say what holds.
constexpr std::string_view kKeptVariables[] = {"PATH",
                                               "HOME",
                                               "USER",
                                               "LOGNAME",
                                               "SHELL",
                                               "LANG",
                                               "LANGUAGE",
                                               "TZ",
                                               "TMPDIR",
                                               "XDG_RUNTIME_DIR",
                                               "XDG_DATA_HOME",
                                               "XDG_CONFIG_HOME",
                                               "XDG_CACHE_HOME",
                                               "XDG_STATE_HOME",
                                               "LD_LIBRARY_PATH",
                                               "SSL_CERT_FILE",
                                               "SSL_CERT_DIR",
                                               "TERM",
                                               "NO_COLOR"};

base::Error Failed(const std::string& what) {
  return {base::Code::kInternal, what + ": " + std::strerror(errno)};
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs between fork and exec: only async-signal-safe calls.
[[noreturn]] void Become(const ChildOptions& options, char* const* argv, char* const* environment,
                         int output, int nothing, int parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // the parent ended before prctl
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (options.own_group) setpgid(0, 0);
  if (!options.keep_input) dup2(nothing, STDIN_FILENO);
  if (!options.errors_only) dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_range(3, ~0U, 0);
  execve(argv[0], argv, environment);
  _exit(127);
}

bool IsProgram(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

base::Result<std::string> FindProgram(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && IsProgram(self.parent_path() / name)) return (self.parent_path() / name).string();
  const char* path = std::getenv("PATH");
  for (const std::string& folder : base::Split(path == nullptr ? "" : path, ':')) {
    if (folder.starts_with('/') && IsProgram(std::filesystem::path(folder) / name))
      return folder + "/" + name;
  }
  return base::Error{base::Code::kNotFound, name + " is neither in " + self.parent_path().string() +
                                                " nor on PATH: install it there"};
}

base::Result<std::unique_ptr<Child>> Child::Start(ChildOptions options) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return Failed("a pipe for " + options.argv[0]);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  auto argv = Pointers(options.argv);
  auto environment = Pointers(options.environment);
  const int parent = getpid();
  const int pid = fork();
  if (pid == 0) Become(options, argv.data(), environment.data(), pipe_ends[1], nothing, parent);
  const base::Error failed = Failed("start " + options.argv[0]);
  close(pipe_ends[1]);
  if (nothing >= 0) close(nothing);
  if (pid < 0) {
    close(pipe_ends[0]);
    return failed;
  }
  return std::unique_ptr<Child>(new Child(pid, pipe_ends[0], std::move(options)));
}

Child::Child(int pid, int descriptor, ChildOptions options) : pid_(pid) {
  reader_ =
      std::jthread([this, descriptor, options = std::move(options)] { Read(descriptor, options); });
}

Child::~Child() { Stop(0); }

void Child::Read(int descriptor, const ChildOptions& options) {
  const auto& on_line = options.on_line;
  std::string line;
  char bytes[4096];
  for (;;) {
    const ssize_t count = read(descriptor, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      if (bytes[i] != '\n') {
        if (line.size() < options.longest_line) line += bytes[i];
        continue;
      }
      if (on_line) on_line(line);
      line.clear();
    }
  }
  close(descriptor);
  if (on_line && !line.empty()) on_line(line);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  const std::lock_guard lock(mutex_);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended_.notify_all();
}

bool Child::running() const { return !exit_code(); }

std::optional<int> Child::exit_code() const {
  const std::lock_guard lock(mutex_);
  return exit_code_;
}

bool Child::WaitForEnd(int64_t wait_ms) const {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::milliseconds(wait_ms),
                         [&] { return exit_code_.has_value(); });
}

void Child::Stop(int64_t grace_ms) {
  // Only the reader thread reaps the process: until shortly before it sets exit_code_, no other
  // process can have the pid.
  if (running()) kill(pid_, grace_ms > 0 ? SIGTERM : SIGKILL);
  if (grace_ms > 0 && !WaitForEnd(grace_ms)) kill(pid_, SIGKILL);
  if (reader_.joinable()) reader_.join();
}

std::vector<std::string> CleanEnvironment() {
  std::vector<std::string> kept;
  for (std::string& entry : base::Environment()) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    if (base::IsOneOf(name, kKeptVariables) || name.starts_with("LC_") ||
        name.ends_with("SAN_OPTIONS"))
      kept.push_back(std::move(entry));
  }
  return kept;
}

// Compares /proc/self/exe with the files on PATH.
base::Result<std::string> ThisProgram() {
  std::error_code error, ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return base::Error{base::Code::kInternal, "cannot find this program's own file"};
  const char* path = std::getenv("PATH");
  for (const std::string& folder : base::Split(path == nullptr ? "" : path, ':')) {
    const std::string found = folder + "/agent-memory";
    if (folder.starts_with('/') && std::filesystem::equivalent(found, self, ignored)) return found;
  }
  return self.string();
}

}  // namespace client
