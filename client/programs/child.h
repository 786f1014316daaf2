// A program that we started: its output line by line, its end, and that it ends with us. By argv,
// never by a shell.
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

// The program of this name beside this one, else on PATH; kNotFound says where it was looked for.
base::Result<std::string> FindProgram(const std::string& name);

struct ChildOptions {
  std::vector<std::string> argv;         // argv[0] is the path
  std::vector<std::string> environment;  // "NAME=value"
  bool errors_only = false;              // lines of stderr alone are read; stdout is left as it is
  std::function<void(std::string_view line)> on_line =
      {};                   // on the child's own thread, until its end
  bool keep_input = false;  // stdin is ours, too; else it is empty
  bool own_group = false;   // Ctrl-C of the terminal is for us alone
};

class Child {
 public:
  // The child gets SIGTERM when the thread that calls this ends: call it on one that lives long.
  static base::Result<std::unique_ptr<Child>> Start(ChildOptions options);
  ~Child();  // Stop(0)

  int pid() const { return pid_; }
  bool running() const;
  std::optional<int> exit_code() const;  // 128 + signal where one ended it
  // SIGTERM, and SIGKILL after `grace_ms`; returns when it is gone.
  void Stop(int64_t grace_ms);
  bool WaitForEnd(int64_t wait_ms) const;

 private:
  Child(int pid, int descriptor, std::function<void(std::string_view)> on_line);
  void Read(int descriptor, const std::function<void(std::string_view)>& on_line);
  const int pid_;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::optional<int> exit_code_;
  std::jthread reader_;
};

// This process's environment without settings of ours, which are meant for no child.
std::vector<std::string> CleanEnvironment();

}  // namespace client
