// Files: reading whole, replacing durably, locking a directory for one process. Not for databases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace base {

// kNotFound, kTooLarge (over `max_bytes`), kInternal.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = 16 << 20);
// Write to a temporary name, fsync, rename, fsync the directory; mode 0600. kFull when no space is
// left.
Status ReplaceFile(const std::string& path, std::string_view content);
Status SyncDirectory(const std::string& path);    // names of new files in it are then on the disk
Status MakeDirectories(const std::string& path);  // mode 0700 for those it makes; ok when there

// An exclusive flock on `<directory>/lock`, held until destroyed. The holder's name is in the file.
class DirectoryLock {
 public:
  // Waits up to `wait_ms` for another holder; then kConflict, naming the holder ("pid 7 on
  // node-1"). kInvalid: every user may write in the directory.
  static Result<DirectoryLock> Take(const std::string& directory, int64_t wait_ms);
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace base
