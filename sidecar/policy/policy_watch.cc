// Reads the policy file again and again: it is small, and its bytes are the one sign of change that
// no way of replacing a file can hide.
#include "sidecar/policy/policy_watch.h"

#include <chrono>
#include <utility>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "sidecar/tables/kept_policy.h"

namespace sidecar {
namespace {

constexpr size_t kMaxPolicyBytes = 1 << 20;  // a ConfigMap's limit

}  // namespace

PolicyWatch::PolicyWatch(std::string path, State& state, const base::Clock& clock,
                         std::function<void()> on_change)
    : path_(std::move(path)), state_(state), clock_(clock), on_change_(std::move(on_change)) {}

PolicyWatch::~PolicyWatch() { Stop(); }

void PolicyWatch::Restore() {
  auto kept = state_.Read([](sqlite::Database& db) { return KeptPolicy(db); });
  if (!kept || !*kept) return;
  auto compiled = CompilePolicy(**kept, clock_.NowMs());
  if (!compiled) {
    base::LogWarn("the kept policy does not compile any more",
                  {{"reason", compiled.error().message}});
    return;
  }
  const std::string digest = (*compiled)->digest;
  {
    std::lock_guard lock(mutex_);
    if (current_) return;
    current_ = std::move(*compiled);
    standing_.digest = digest;
    standing_.loaded_ms = current_->loaded_ms;
    standing_.restored = true;
  }
  on_change_();
  base::LogInfo("the last good policy is in force again", {{"digest", digest}});
}

void PolicyWatch::Look() {
  auto file = base::ReadFile(path_, kMaxPolicyBytes);
  if (!file) {
    Refuse("unreadable: " + file.error().message, base::Wrap(path_, file.error()));
    return;
  }
  const auto current = Current();
  if (current && current->digest == api::PolicyDigest(*file)) {
    std::lock_guard lock(mutex_);
    standing_.matches_file = true;
    standing_.restored = false;
    standing_.error.clear();
    refused_file_.reset();
    return;
  }
  if (refused_file_ == *file) return;
  auto compiled = CompilePolicy(*file, clock_.NowMs());
  if (compiled) {
    Accept(*file, std::move(*compiled));
  } else {
    Refuse(*file, base::Wrap(path_, compiled.error()));
  }
}

void PolicyWatch::Accept(const std::string& file, std::shared_ptr<const ActivePolicy> compiled) {
  refused_file_.reset();
  const std::string digest = compiled->digest;
  {
    std::lock_guard lock(mutex_);
    current_ = std::move(compiled);
    standing_.digest = digest;
    standing_.loaded_ms = current_->loaded_ms;
    standing_.matches_file = true;
    standing_.restored = false;
    standing_.error.clear();
    ++standing_.reloads;
  }
  on_change_();
  base::LogInfo("policy in force", {{"digest", digest}});
  const int64_t now_ms = clock_.NowMs();
  auto kept = state_.Change([&](sqlite::Database& db) { return KeepPolicy(db, file, now_ms); });
  if (!kept) base::LogError("the policy could not be kept", {{"reason", kept.error().message}});
}

void PolicyWatch::Refuse(const std::string& file, const base::Error& error) {
  if (refused_file_ == file) return;
  if (std::exchange(last_file_, file) != file) return;  // look once more: it may be half written
  refused_file_ = file;
  {
    std::lock_guard lock(mutex_);
    standing_.matches_file = false;
    standing_.error = error.message;
    ++standing_.rejected;
  }
  const std::string digest = standing().digest;
  base::LogError(digest.empty() ? "the policy file is refused, and there was no good one before: "
                                  "until it is mended hooks are answered with 503"
                                : "the policy file is refused; the last good policy stays in force",
                 {{"reason", error.message}, {"in_force", digest}});
}

void PolicyWatch::Start(int64_t interval_ms) {
  thread_ = std::jthread([this, interval_ms](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      Look();
      std::unique_lock lock(mutex_);
      stop_.wait_for(lock, std::chrono::milliseconds(interval_ms), [&] { return stopping_; });
    }
  });
}

void PolicyWatch::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  thread_.request_stop();
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const ActivePolicy> PolicyWatch::Current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

PolicyWatch::Standing PolicyWatch::standing() const {
  std::lock_guard lock(mutex_);
  return standing_;
}

}  // namespace sidecar
