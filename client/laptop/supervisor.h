// The supervisor of `agent-memory up`: runs the memory server, and a sidecar per repository in use.
// Its own thread starts all children (see Child); other methods: any thread.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "client/laptop/home.h"
#include "client/programs/running_program.h"

namespace client {

struct Programs {
  std::string server, sidecar;  // paths
};

struct Project {
  std::string name, root;
  std::string url;  // of its sidecar
  int pid = 0;
};

class Supervisor {
 public:
  static constexpr size_t kMostSidecars = 16;
  static constexpr int64_t kIdleMs = 30 * 60'000;

  // `say` receives lines for the user, on any thread. `idle_ms`: for tests.
  Supervisor(Home home, Programs programs, std::function<void(const std::string&)> say,
             int64_t idle_ms = kIdleMs);
  ~Supervisor();  // Stop()

  base::Status Start();  // returns when the memory server listens
  void Stop();           // sidecars first, so that they deliver their outboxes

  // Returns the project of a repository and starts its sidecar if necessary. `name` renames the
  // project; empty: no change. Above kMostSidecars the least recently used sidecar ends; each ends
  // after kIdleMs without use. A request to the sidecar itself is use, too.
  base::Result<Project> Use(const std::string& root, const std::string& name);
  std::string server_url() const;
  base::Json Status() const;  // the state for `status` and `doctor`

 private:
  struct Sidecar {
    Project project;
    std::shared_ptr<Service> service;
    int64_t used_ms = 0;
    std::string policy;  // the last version in its policy.json
    std::string folder;  // of its files
  };
  struct Wanted {
    std::string root, name;
    std::optional<base::Result<Project>> answer;
  };

  void Loop();
  void KeepServer();
  // Ends programs that do not answer for seconds; Loop starts them again.
  void Watch(std::stop_token stop);
  void EndUnused();
  // Asks the sidecars whose last known use was before `used_before_ms` when their agents used them.
  void AskForUse(int64_t used_before_ms);
  void EndAll();
  base::Result<Project> StartSidecar(const std::string& asked, const std::string& name);
  // Removes the least recently used sidecar from the map if its last use was before
  // `used_before_ms`; null: none.
  std::shared_ptr<Sidecar> TakeOldest(int64_t used_before_ms);
  // A sidecar that runs for this repository and, unless empty, has this name; null: none. Locked.
  std::shared_ptr<Sidecar> RunningFor(const std::string& root, const std::string& name) const;
  // Derives this sidecar's policy from the user's policy.json, and writes it if it changed.
  base::Status WritePolicy(Sidecar& sidecar) const;

  const Home home_;
  const Programs programs_;
  const std::function<void(const std::string&)> say_;
  const int64_t idle_ms_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Wanted>> wanted_;
  std::map<std::string, std::shared_ptr<Sidecar>> sidecars_;  // by root
  // Of each root that was asked for: the root of its sidecar (another clone's), and what lay there
  // then.
  struct Alias {
    std::string root;
    uint64_t device = 0, inode = 0;
  };
  std::map<std::string, Alias> aliases_;
  std::unique_ptr<Service> server_;
  std::optional<base::Status> started_;
  int64_t server_again_ms_ = 0, server_pause_ms_ = 0;  // only for thread_
  bool stopping_ = false;
  std::jthread thread_, watch_;
};

}  // namespace client
