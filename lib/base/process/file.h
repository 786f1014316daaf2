// Reads whole files, replaces files durably, locks a directory for one process. Not for databases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace base {

// kNotFound, kDenied, kTooLarge (over `max_bytes`), kInternal.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = 16 << 20);
// A new empty file "<path><mark>-XXXXXX" of mode 0600, for content that gets the name `path` when
// it is whole. Its name cannot be known before, and a link of that name is not followed. The caller
// closes and renames or removes it.
struct FileBeside {
  std::string path;
  int descriptor = -1;
};
Result<FileBeside> MakeFileBeside(const std::string& path, std::string_view mark);
// Writes a file beside `path`, fsyncs, renames, fsyncs the directory; mode 0600. kFull: no space
// left.
Status ReplaceFile(const std::string& path, std::string_view content);
Status SyncDirectory(const std::string& path);    // makes names of new files durable
Status MakeDirectories(const std::string& path);  // new ones with mode 0700; ok if they exist

// An exclusive flock on `<directory>/lock` until destruction. The file names the holder.
class DirectoryLock {
 public:
  // Waits up to `wait_ms` for another holder; then kConflict, naming it ("pid 7 on node-1").
  // kInvalid: every user may write in the directory.
  static Result<DirectoryLock> Acquire(const std::string& directory, int64_t wait_ms);
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace base
