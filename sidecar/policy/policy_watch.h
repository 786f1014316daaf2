// Watches the policy file and replaces the policy in force as a whole when the file changes. A bad
// file leaves the last good policy in force; state.db keeps that policy over restarts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/state/state.h"

namespace sidecar {

class PolicyWatch {
 public:
  struct Status {
    std::string digest;  // in force; empty: none yet
    int64_t loaded_ms = 0;
    bool matches_file = false;  // the file on disk is the one in force
    bool restored = false;      // from state.db: no good file was seen since the start
    std::string error;          // why the file on disk is refused
    int64_t reloads = 0, rejected = 0;
  };

  // `on_change` is called after each change of the policy, on the thread of Poll or
  // RestoreLastGood.
  PolicyWatch(
      std::string path, State& state, const base::Clock& clock,
      std::function<void()> on_change = [] {});
  ~PolicyWatch();

  // Activates the policy of state.db, unless another one is in force.
  void RestoreLastGood();
  // Reads the file once and compares its contents, so that link swaps, renames and rewrites are all
  // seen. Contents that do not compile are refused at the second look: a rewrite may be half done.
  void Poll();
  // Polls every `interval_ms` on a thread of its own, until Stop.
  void Start(int64_t interval_ms);

  std::shared_ptr<const ActivePolicy> Current() const;                // null: none yet
  base::Result<std::shared_ptr<const ActivePolicy>> InForce() const;  // kUnavailable: none yet
  Status status() const;
  void Stop();  // ends the thread

 private:
  void Activate(const std::string& file, std::shared_ptr<const ActivePolicy> compiled);
  void Refuse(const std::string& file, const base::Error& error);

  const std::string path_;
  State& state_;
  const base::Clock& clock_;
  const std::function<void()> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  std::shared_ptr<const ActivePolicy> current_;
  Status status_;
  bool stopping_ = false;
  // Used by the thread of Poll alone.
  std::optional<std::string> last_file_, refused_file_;
  std::jthread thread_;
};

}  // namespace sidecar
