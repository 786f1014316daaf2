// Plain file calls: SQLite holds no POSIX locks on a WAL, so that closing a descriptor drops none.
#include "lib/sqlite/log_rewrite.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sqlite {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr size_t kPieceBytes = 64 << 10;

Error FileError(const std::string& path) {
  const Code code = errno == ENOSPC || errno == EDQUOT ? Code::kFull : Code::kInternal;
  return Error{code, path + ": " + strerror(errno)};
}

Status RewriteAll(int file, const std::string& path) {
  std::string piece(kPieceBytes, '\0');
  for (off_t at = 0;;) {
    const ssize_t got = pread(file, piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path);
    if (got == 0) break;
    const ssize_t written = pwrite(file, piece.data(), static_cast<size_t>(got), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return FileError(path);
    at += written;
  }
  return fsync(file) == 0 ? Status() : Status(FileError(path));
}

}  // namespace

Status RewriteLog(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return errno == ENOENT ? Status() : Status(FileError(path));
  Status done = RewriteAll(file, path);
  close(file);
  return done;
}

}  // namespace sqlite
