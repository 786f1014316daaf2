// The folder with the memory of this machine: its path, its owner check, and the address of the
// running supervisor. Starts no process.
#pragma once

#include <string>

#include "lib/base/process/config.h"
#include "lib/base/result.h"

namespace client {

// The supervisor's address for other commands: run.json, mode 0600, while memory is up.
struct Running {
  std::string front, token;  // its URL, and the bearer token that it requires
  int pid = 0;               // 0: written by an earlier version
};

class Home {
 public:
  // --home, else $XDG_DATA_HOME/agent-memory, else ~/.local/share/agent-memory. Creates nothing.
  static base::Result<Home> Find(const base::Settings& settings);
  // Creates the folder with mode 0700; kDenied: another user owns or may access it.
  base::Status Make() const;

  const std::string& folder() const { return folder_; }
  std::string File(const std::string& name) const { return folder_ + "/" + name; }

  // kNotFound: memory is not up; kUnavailable: it is coming up or going down. Ignores run.json
  // unless the supervisor holds the folder's lock: after a crash another program may use the port.
  base::Result<Running> FindRunning() const;
  base::Status SaveRunning(const Running& running) const;
  void ForgetRunning() const;

  // After `down`: only `up` starts memory again.
  bool stopped() const;
  void SetStopped(bool stopped) const;

 private:
  explicit Home(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

base::Setting HomeSetting();

}  // namespace client
