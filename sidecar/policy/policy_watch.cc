// Polls the contents of the policy file: the file is small, and its bytes show every kind of
// replacement.
#include "sidecar/policy/policy_watch.h"

#include <chrono>
#include <utility>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "sidecar/tables/policy_tables.h"

namespace sidecar {
namespace {

constexpr size_t kMaxPolicyBytes = 1 << 20;  // a ConfigMap's limit

}  // namespace

PolicyWatch::PolicyWatch(std::string path, State& state, const base::Clock& clock,
                         std::function<void()> on_change)
    : path_(std::move(path)), state_(state), clock_(clock), on_change_(std::move(on_change)) {}

PolicyWatch::~PolicyWatch() { Stop(); }

void PolicyWatch::RestoreLastGood() {
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
    status_.digest = digest;
    status_.loaded_ms = current_->loaded_ms;
    status_.restored = true;
  }
  on_change_();
  base::LogInfo("the last good policy is in force again", {{"digest", digest}});
}

void PolicyWatch::Poll() {
  auto file = base::ReadFile(path_, kMaxPolicyBytes);
  if (!file) {
    Refuse("unreadable: " + file.error().message, base::Wrap(path_, file.error()));
    return;
  }
  const auto current = Current();
  if (current && current->digest == api::PolicyDigest(*file)) {
    std::lock_guard lock(mutex_);
    status_.matches_file = true;
    status_.restored = false;
    status_.error.clear();
    refused_file_.reset();
    return;
  }
  if (refused_file_ == *file) return;
  auto compiled = CompilePolicy(*file, clock_.NowMs());
  if (compiled) {
    Activate(*file, std::move(*compiled));
  } else {
    Refuse(*file, base::Wrap(path_, compiled.error()));
  }
}

void PolicyWatch::Activate(const std::string& file, std::shared_ptr<const ActivePolicy> compiled) {
  refused_file_.reset();
  const std::string digest = compiled->digest;
  {
    std::lock_guard lock(mutex_);
    current_ = std::move(compiled);
    status_.digest = digest;
    status_.loaded_ms = current_->loaded_ms;
    status_.matches_file = true;
    status_.restored = false;
    status_.error.clear();
    ++status_.reloads;
  }
  on_change_();
  base::LogInfo("policy in force", {{"digest", digest}});
  const int64_t now_ms = clock_.NowMs();
  auto kept = state_.Change([&](sqlite::Database& db) { return KeepPolicy(db, file, now_ms); });
  if (!kept) base::LogError("the policy could not be kept", {{"reason", kept.error().message}});
}

void PolicyWatch::Refuse(const std::string& file, const base::Error& error) {
  if (refused_file_ == file) return;
  if (std::exchange(last_file_, file) != file)
    return;  // poll once more: the file may be half written
  refused_file_ = file;
  {
    std::lock_guard lock(mutex_);
    status_.matches_file = false;
    status_.error = error.message;
    ++status_.rejected;
  }
  const std::string digest = status().digest;
  base::LogError(digest.empty() ? "the policy file is refused, and there was no good one before: "
                                  "until it is mended hooks are answered with 503"
                                : "the policy file is refused; the last good policy stays in force",
                 {{"reason", error.message}, {"in_force", digest}});
}

void PolicyWatch::Start(int64_t interval_ms) {
  thread_ = std::jthread([this, interval_ms](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      Poll();
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

base::Result<std::shared_ptr<const ActivePolicy>> PolicyWatch::InForce() const {
  auto current = Current();
  if (!current) return base::Error{base::Code::kUnavailable, "no policy is in force yet"};
  return current;
}

PolicyWatch::Status PolicyWatch::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace sidecar
