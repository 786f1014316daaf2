// The folder that the memory of this machine lives in: where it is, that it is the user's own, and
// who runs there. Knows no process.
#pragma once

#include <string>

#include "lib/base/process/config.h"
#include "lib/base/result.h"

namespace client {

// What `up` tells other commands. In run.json, mode 0600, while memory is up.
struct Running {
  std::string front, token;  // where the supervisor listens, and what it asks for
};

class Home {
 public:
  // --home, else $XDG_DATA_HOME/agent-memory, else ~/.local/share/agent-memory. Nothing is made.
  static base::Result<Home> Find(const base::Settings& settings);
  // Makes it with mode 0700; kDenied when it is another user's or others may write there.
  base::Status Make() const;

  const std::string& folder() const { return folder_; }
  std::string File(const std::string& name) const { return folder_ + "/" + name; }

  // kNotFound: memory is not up; kUnavailable: it is coming up or going down. A run.json that a
  // crash left behind does not count, since its port may be somebody else's by now: who runs holds
  // the folder's lock.
  base::Result<Running> FindRunning() const;
  base::Status SaveRunning(const Running& running) const;
  void ForgetRunning() const;

  // `down` was said: nothing but `up` starts memory again.
  bool stopped() const;
  void SetStopped(bool stopped) const;

 private:
  explicit Home(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

base::Setting HomeSetting();

}  // namespace client
