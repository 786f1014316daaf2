// A child process: its output line by line, its exit, and its end with the parent. Started by argv,
// never through a shell. And the paths of programs: of one to start, and of agent-memory for
// settings of other programs.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lib/base/result.h"

namespace client {

// The path of a program beside this one, else on PATH; kNotFound names the searched places.
base::Result<std::string> FindProgram(const std::string& name);

struct ChildOptions {
  std::vector<std::string> argv;         // argv[0] is the path
  std::vector<std::string> environment;  // "NAME=value"
  bool errors_only = false;              // reads only stderr; the child inherits stdout
  std::function<void(std::string_view line)> on_line =
      {};                          // on the Child's reader thread, until the process ends
  size_t longest_line = 64 << 10;  // bytes; what a line has beyond them is left out
  bool keep_input = false;         // the child inherits stdin; else it is empty
  bool own_group = false;          // Ctrl-C of the terminal reaches only the parent
};

class Child {
 public:
  // The child gets SIGTERM when the calling thread ends: call this on a long-lived thread.
  static base::Result<std::unique_ptr<Child>> Start(ChildOptions options);
  ~Child();  // Stop(0)

  int pid() const { return pid_; }
  bool running() const;
  std::optional<int> exit_code() const;  // 128 + signal after a signal
  // Sends SIGTERM, and SIGKILL after `grace_ms`; returns when the process has ended.
  void Stop(int64_t grace_ms);
  bool WaitForEnd(int64_t wait_ms) const;

 private:
  Child(int pid, int descriptor, ChildOptions options);
  void Read(int descriptor, const ChildOptions& options);
  const int pid_;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::optional<int> exit_code_;
  std::jthread reader_;
};

// What children need of this process's environment: no AGENT_MEMORY_*, which are settings of this
// program, and no settings of other programs.
std::vector<std::string> CleanEnvironment();

// The path on PATH if it leads to this file, since that path survives an update; else the file's
// own path.
base::Result<std::string> ThisProgram();

}  // namespace client
