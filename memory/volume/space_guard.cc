// The ballast file has allocated blocks (fallocate), no hole.
#include "memory/volume/space_guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "lib/base/process/log.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr int64_t kLookEveryMs = 200;
constexpr int64_t kSmallestBallast = 64 << 10;  // less is useless

}  // namespace

SpaceGuard::SpaceGuard(std::string directory, Limits limits, const base::Clock& clock)
    : directory_(std::move(directory)),
      file_(directory_ + "/ballast"),
      clock_(clock),
      limits_(limits) {
  struct statvfs volume {};
  if (statvfs(directory_.c_str(), &volume) == 0) {
    int64_t size = static_cast<int64_t>(volume.f_blocks) * static_cast<int64_t>(volume.f_frsize);
    limits_.ballast_bytes = std::min(limits_.ballast_bytes, size / 8);
    room_ = std::min(room_, size / 16);
  }
  struct stat kept {};
  // lstat: the target of a link is not this program's; the link itself is removed.
  if (lstat(file_.c_str(), &kept) == 0) {
    held_ = std::min<int64_t>(kept.st_size, kept.st_blocks * 512);
    if (!S_ISREG(kept.st_mode) || held_ > limits_.ballast_bytes || limits_.ballast_bytes == 0)
      unlink(file_.c_str()), held_ = 0;
  }
  std::lock_guard lock(mutex_);
  Look(0);
  // An earlier process removed it and there is still no space for it: free space is for deletes.
  full_ = limits_.ballast_bytes > 0 && held_ == 0;
  if (full_) base::LogError("no room for the ballast: writes are refused", {{"free", free_}});
}

int64_t SpaceGuard::FreeBytes() const {
  struct statvfs volume {};
  if (statvfs(directory_.c_str(), &volume) != 0) return -1;
  return static_cast<int64_t>(volume.f_bavail) * static_cast<int64_t>(volume.f_frsize);
}

int64_t SpaceGuard::BallastBytes() const {
  std::lock_guard lock(mutex_);
  return held_;
}

Status SpaceGuard::Admit(int64_t reusable_bytes) {
  std::lock_guard lock(mutex_);
  if (looked_ms_ < 0 || clock_.MonotonicMs() - looked_ms_ >= kLookEveryMs) Look(reusable_bytes);
  int64_t needed = limits_.min_free_bytes;
  if (full_) needed = std::max(needed, 2 * room_) + limits_.ballast_bytes - held_;
  if (!full_ && free_ + reusable_bytes >= needed) return {};
  return Error{Code::kFull,
               directory_ + " is full: " + std::to_string(free_) + " bytes are free and " +
                   std::to_string(reusable_bytes) + " inside the file, writes need " +
                   std::to_string(needed) +
                   "; enlarge the volume or delete memories (hard=true gives their room back), "
                   "then writes go on by themselves"};
}

void SpaceGuard::GiveUp() {
  std::lock_guard lock(mutex_);
  if (!full_) {
    base::LogError("the volume is full: writes are refused",
                   {{"directory", directory_}, {"ballast_given_up", held_}});
  }
  full_ = true;
  unlink(file_.c_str());
  held_ = 0;
  looked_ms_ = -1;
}

// Requires space for ballast and writes together, and more than truncating the WAL frees: else the
// space of the removed ballast would admit writes, which would consume it.
void SpaceGuard::Look(int64_t reusable_bytes) {
  looked_ms_ = clock_.MonotonicMs();
  free_ = FreeBytes();
  int64_t missing = limits_.ballast_bytes - held_;
  if (missing <= 0 && !full_) return;
  int64_t wanted = missing + std::max(limits_.min_free_bytes, 2 * room_);
  if (free_ < room_ || free_ + reusable_bytes < wanted) return;
  TakeBallast(std::min(limits_.ballast_bytes, held_ + free_ - room_));
  if (full_) base::LogInfo("the volume has room again", {{"free", free_}, {"ballast", held_}});
  full_ = false;
}

void SpaceGuard::TakeBallast(int64_t bytes) {
  if (bytes < kSmallestBallast) return;
  int file = open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  int failed = posix_fallocate(file, 0, bytes);
  close(file);
  held_ = failed ? 0 : bytes;
  if (failed) unlink(file_.c_str());
  free_ = FreeBytes();
}

}  // namespace memory
