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
    int64_t min_free_bytes = 0;       // with less, refuses writes
  };
  // Creates the ballast if there is space, or takes over that of an earlier process.
  SpaceGuard(std::string directory, Limits limits, const base::Clock& clock);

  // Ok: there is space for a write. Else kFull, with the missing space and the remedy.
  // `reusable_bytes`: the free pages of the file to write. Checks the volume at most five times a
  // second; creates the ballast again when there is space. Any thread.
  base::Status Admit(int64_t reusable_bytes);
  // A write found no space: removes the ballast and refuses writes until there is space again.
  void GiveUp();
  const std::string& directory() const { return directory_; }
  int64_t FreeBytes() const;  // of the volume; -1: unknown
  int64_t BallastBytes() const;
  // The longest WAL of a file that fits into the ballast twice.
  int64_t LongestLogBytes() const { return limits_.ballast_bytes / 2; }

 private:
  void Look(int64_t reusable_bytes);
  void TakeBallast(int64_t bytes);
  const std::string directory_, file_;
  const base::Clock& clock_;
  Limits limits_;
  int64_t room_ = 4 << 20;  // space that a write may need: the WAL up to its checkpoint
  mutable std::mutex mutex_;
  int64_t looked_ms_ = -1, free_ = 0, held_ = 0;
  bool full_ = false;
};

}  // namespace memory
