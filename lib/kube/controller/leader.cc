// The thread that tries and renews a Lease.
#include "lib/kube/controller/leader.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "lib/base/process/log.h"

namespace kube {

namespace {

constexpr int64_t kAskAgainMs = 100;  // between calls of may_stand, which costs no request

}  // namespace

Leader::Leader(Lease& lease, std::function<void(bool leads)> on_change,
               std::function<bool()> may_stand)
    : lease_(lease), on_change_(std::move(on_change)), may_stand_(std::move(may_stand)) {}

Leader::~Leader() { Stop(); }

void Leader::Start() {
  thread_ = std::jthread([this](std::stop_token stop) { Run(std::move(stop)); });
}

void Leader::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (auto released = lease_.Release(); !released)
    base::LogWarn("lease not released: the next leader waits for its end",
                  {{"lease", lease_.settings().key.Text()}, {"error", released.error().message}});
}

void Leader::Run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    const bool may_stand = !may_stand_ || may_stand_();
    Tell(may_stand ? lease_.Try() : base::Status());
    const int64_t wait_ms = may_stand ? lease_.NextTryMs() : kAskAgainMs;
    wake.wait_for(lock, stop, std::chrono::milliseconds(wait_ms), [] { return false; });
  }
}

void Leader::Tell(const base::Status& tried) {
  const std::string error = tried ? "" : tried.error().message;
  if (!error.empty() && error != last_error_)
    base::LogWarn("lease", {{"lease", lease_.settings().key.Text()}, {"error", error}});
  last_error_ = error;
  if (lease_.Holds() == leads_) return;
  leads_ = !leads_;
  base::LogInfo(
      leads_ ? "leading" : "standing by: the lease is lost",
      {{"lease", lease_.settings().key.Text()}, {"identity", lease_.settings().identity}});
  on_change_(leads_);
}

}  // namespace kube
