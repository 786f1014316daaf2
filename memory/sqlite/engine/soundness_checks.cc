// Checks one file after the other and rests after each nine times as long as its check took.
#include "memory/sqlite/engine/soundness_checks.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "lib/base/process/log.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr int64_t kCheckEveryMs = 500;
constexpr int64_t kRestTimes = 9;
constexpr int64_t kCheckedAtOnceBytes = 4 << 20;  // checked immediately after opening
constexpr int64_t kFirstMs = 60'000;              // larger ones: after the start of the server
constexpr int64_t kAgainMs = 60'000;              // between checks of a file with reports
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

bool IsSmall(const std::string& file) {
  struct stat facts {};
  return stat(file.c_str(), &facts) == 0 && facts.st_size <= kCheckedAtOnceBytes;
}

// Stopped, no space for a copy, too many writes: these say nothing about the file.
bool SaysNothing(const Status& status) { return !status && status.error().code != Code::kInternal; }

}  // namespace

SoundnessChecks::SoundnessChecks(Tenants& tenants, Soundness& soundness, const base::Clock& clock,
                                 telemetry::Metrics& metrics, int64_t every_ms)
    : tenants_(tenants),
      soundness_(soundness),
      clock_(clock),
      metrics_(metrics),
      every_ms_(every_ms) {}

SoundnessChecks::~SoundnessChecks() { Stop(); }

void SoundnessChecks::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "soundness");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);  // of this thread alone
    do Round(stop);
    while (Rest(stop, kCheckEveryMs));
  });
}

void SoundnessChecks::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool SoundnessChecks::Rest(const std::stop_token& stop, int64_t ms) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, std::chrono::milliseconds(ms), [] { return false; });
  return !stop.stop_requested();
}

// Schedules a check soon after a call reports corruption.
void SoundnessChecks::RestAfter(const std::stop_token& stop, int64_t ms) {
  for (; ms > 0 && !soundness_.AnySuspected(); ms -= kCheckEveryMs)
    if (!Rest(stop, std::min(ms, kCheckEveryMs))) return;
}

void SoundnessChecks::Round(const std::stop_token& stop) {
  for (std::string name; !stop.stop_requested();) {
    std::shared_ptr<SqliteStore> store = tenants_.NextOpen(name);
    if (!store) return;
    if (!IsDue(store->path())) continue;
    const int64_t begun_ms = clock_.MonotonicMs();
    Check(*store, stop);
    const int64_t now_ms = clock_.MonotonicMs();
    due_[store->path()] = {every_ms_ > 0 ? now_ms + every_ms_ : kNever, now_ms + kAgainMs};
    store.reset();
    RestAfter(stop, kRestTimes * (now_ms - begun_ms));
  }
}

bool SoundnessChecks::IsDue(const std::string& file) {
  const int64_t now_ms = clock_.MonotonicMs();
  auto [place, first] = due_.try_emplace(file, Due{now_ms, now_ms});
  Due& due = place->second;
  if (first && every_ms_ == 0) due.at_ms = kNever;
  if (first && every_ms_ > 0 && !IsSmall(file)) due.at_ms += kFirstMs;
  return now_ms >= (soundness_.Suspected(file) ? due.suspected_ms : due.at_ms);
}

void SoundnessChecks::Check(SqliteStore& store, const std::stop_token& stop) {
  const char* outcome = "sound";
  Status found = store.CheckTables(stop);
  if (found) {
    found = store.CheckIndex(stop);
    if (!found && !SaysNothing(found)) {
      outcome = "mended";
      found = Mend(store, found.error(), stop);
    }
  }
  if (stop.stop_requested()) return;
  if (SaysNothing(found)) {
    outcome = "skipped";
    base::LogInfo("a file was not checked to its end",
                  {{"file", store.path()}, {"reason", found.error().message}});
  } else if (found) {
    soundness_.SetSound(store.path());
  } else {
    outcome = "damaged";
    soundness_.SetDamaged(store.path(), found.error());
  }
  metrics_.Count("agent_memory_server_checks_total", {{"outcome", outcome}});
}

// Sound tables contain everything that the index is built from.
Status SoundnessChecks::Mend(SqliteStore& store, const Error& damage, const std::stop_token& stop) {
  soundness_.ReportDamage(store.path(), damage);
  Status rebuilt = store.RebuildIndex();
  if (!rebuilt) return base::Wrap("its index could not be rebuilt", rebuilt.error());
  RETURN_IF_ERROR(store.CheckIndex(stop));
  base::LogWarn("the full-text index was made again from the rows",
                {{"file", store.path()}, {"reason", damage.message}});
  return {};
}

}  // namespace memory
