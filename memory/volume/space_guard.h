// Free space on the volume of the data directory. Writes are refused before the volume is full; on
// a full volume a ballast file is deleted, so that deletes, checkpoints and a shutdown still work.
// One guard for all files of a directory. Not a quota of a tenant.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"

namespace memory {

class SpaceGuard {
 public:
  struct Limits {
    int64_t ballast_bytes = 8 << 20;  // at most an eighth of the volume; 0: none
    int64_t min_free_bytes = 0;       // with less, writes are refused
  };
  // Makes the ballast where there is room for it, or takes over the one of the life before.
  SpaceGuard(std::string directory, Limits limits, const base::Clock& clock);

  // Ok: there is room for a write. Else kFull, with what is missing and what to do.
  // `reusable_bytes`: what deletes gave back inside the file that is to be written. Looks at the
  // volume five times a second at most; makes the ballast again when there is room. Any thread.
  base::Status Admit(int64_t reusable_bytes);
  // A write found no space: the ballast goes, and writes are refused until there is room again.
  void GiveUp();
  const std::string& directory() const { return directory_; }
  int64_t FreeBytes() const;  // of the volume; -1 when it cannot be asked
  int64_t BallastBytes() const;
  // How long a file's log may get so that the ballast has room for all of it twice.
  int64_t LongestLogBytes() const { return limits_.ballast_bytes / 2; }

 private:
  void Look(int64_t reusable_bytes);
  void TakeBallast(int64_t bytes);
  const std::string directory_, file_;
  const base::Clock& clock_;
  Limits limits_;
  int64_t room_ = 4 << 20;  // what a write may need at once: the log up to its checkpoint
  mutable std::mutex mutex_;
  int64_t looked_ms_ = -1, free_ = 0, held_ = 0;
  bool full_ = false;
};

}  // namespace memory
