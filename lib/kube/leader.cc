// The thread around a Lease.
#include "lib/kube/leader.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "lib/base/log.h"

namespace kube {

Leader::Leader(Lease& lease, std::function<void(bool leads)> on_change)
    : lease_(lease), on_change_(std::move(on_change)) {}

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
    Tell(lease_.Try());
    wake.wait_for(lock, stop, std::chrono::milliseconds(lease_.NextTryMs()), [] { return false; });
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
