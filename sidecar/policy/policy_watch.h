// The policy in force: read from a file, compiled, replaced as a whole when the file changes. A bad
// file keeps the last good policy, which also survives a restart in state.db.
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
  struct Standing {
    std::string digest;  // in force; empty: none yet
    int64_t loaded_ms = 0;
    bool matches_file = false;  // the file on disk is the one in force
    bool restored = false;      // kept from before the start; the file was not good since
    std::string error;          // why the file on disk is not
    int64_t reloads = 0, rejected = 0;
  };

  // `on_change` is called after another policy came into force, on the thread that looks or
  // restores.
  PolicyWatch(
      std::string path, State& state, const base::Clock& clock,
      std::function<void()> on_change = [] {});
  ~PolicyWatch();

  // Puts the kept policy into force, if there is one and no other is.
  void Restore();
  // Looks at the file once. Contents decide, so that link swaps, renames and rewrites are all seen.
  // Contents that do not compile are bad once they stay the same for two looks (a rewrite may be
  // half done).
  void Look();
  // Looks every `interval_ms` on a thread of its own, until destroyed.
  void Start(int64_t interval_ms);

  std::shared_ptr<const ActivePolicy> Current() const;  // null: none yet
  Standing standing() const;
  void Stop();  // ends the thread

 private:
  void Accept(const std::string& file, std::shared_ptr<const ActivePolicy> compiled);
  void Refuse(const std::string& file, const base::Error& error);

  const std::string path_;
  State& state_;
  const base::Clock& clock_;
  const std::function<void()> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  std::shared_ptr<const ActivePolicy> current_;
  Standing standing_;
  bool stopping_ = false;
  // Only used by the thread that looks.
  std::optional<std::string> last_file_, refused_file_;
  std::jthread thread_;
};

}  // namespace sidecar
