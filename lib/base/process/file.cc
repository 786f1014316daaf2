// Uses plain system calls, so that every step of durability is explicit.
#include "lib/base/process/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "lib/base/process/clock.h"

namespace base {
namespace {

Error SystemError(const std::string& what, int number) {
  Code code = number == ENOENT                       ? Code::kNotFound
              : number == ENOSPC || number == EDQUOT ? Code::kFull
              : number == EACCES || number == EPERM  ? Code::kDenied
                                                     : Code::kInternal;
  return {code, what + ": " + strerror(number)};
}

// Closes the descriptor in the destructor.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

Status WriteAll(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    ssize_t count = write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("write " + path, errno);
    content.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) return SystemError("open " + path, errno);
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    ssize_t count = read(file.number, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("read " + path, errno);
    if (count == 0) return content;
    content.append(buffer, static_cast<size_t>(count));
    if (content.size() > max_bytes) {
      return Error{Code::kTooLarge,
                   path + " has more than " + std::to_string(max_bytes) + " bytes"};
    }
  }
}

Result<FileBeside> MakeFileBeside(const std::string& path, std::string_view mark) {
  std::string name = path + std::string(mark) + "-XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);  // O_EXCL
  if (descriptor < 0) return SystemError("create " + name, errno);
  return FileBeside{std::move(name), descriptor};
}

Status ReplaceFile(const std::string& path, std::string_view content) {
  ASSIGN_OR_RETURN(const FileBeside made, MakeFileBeside(path, ".new"));
  Status status;
  {
    const Descriptor file{made.descriptor};
    status = WriteAll(file.number, content, made.path);
    if (status && fsync(file.number) != 0) status = SystemError("fsync " + made.path, errno);
  }
  if (status && rename(made.path.c_str(), path.c_str()) != 0)
    status = SystemError("rename to " + path, errno);
  if (!status) {
    unlink(made.path.c_str());
    return status;
  }
  std::string directory = std::filesystem::path(path).parent_path().string();
  return SyncDirectory(directory.empty() ? "." : directory);
}

Status SyncDirectory(const std::string& path) {
  Descriptor directory{open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.number < 0) return SystemError("open " + path, errno);
  if (fsync(directory.number) != 0) return SystemError("fsync " + path, errno);
  return {};
}

Status MakeDirectories(const std::string& path) {
  std::string made;
  for (const auto& part : std::filesystem::path(path)) {
    made = (std::filesystem::path(made) / part).string();
    if (mkdir(made.c_str(), 0700) != 0 && errno != EEXIST)
      return SystemError("mkdir " + made, errno);
  }
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return Error{Code::kInvalid, path + " is not a directory"};
  }
  return {};
}

namespace {

// A user with write access could replace our files. Skips the root of a volume: Kubernetes makes an
// emptyDir with mode 0777, and only the pod sees it.
Status RefuseOpenDirectory(const std::string& directory) {
  struct stat own {
  }, above{};
  if (stat(directory.c_str(), &own) != 0) return SystemError("look at " + directory, errno);
  const bool is_volume =
      stat((directory + "/..").c_str(), &above) == 0 && above.st_dev != own.st_dev;
  if ((own.st_mode & S_IWOTH) == 0 || is_volume) return {};
  return Error{Code::kInvalid, directory +
                                   ": every user of this machine may write there, and so put "
                                   "files in place of ours; run: chmod o-w " +
                                   directory};
}

}  // namespace

Result<DirectoryLock> DirectoryLock::Acquire(const std::string& directory, int64_t wait_ms) {
  RETURN_IF_ERROR(RefuseOpenDirectory(directory));
  std::string path = directory + "/lock";
  int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return SystemError("open " + path, errno);
  DirectoryLock lock(descriptor);
  int64_t deadline_ms = SystemClock().MonotonicMs() + wait_ms;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return SystemError("flock " + path, errno);
    if (SystemClock().MonotonicMs() >= deadline_ms) {
      std::string holder = ReadFile(path, 4096).value_or("");
      return Error{Code::kConflict, directory + " is in use by " +
                                        (holder.empty() ? "another process" : holder) +
                                        "; stop it or name another directory"};
    }
    // flock has no timeout; 20 ms is short next to the waits of callers.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string holder = "pid " + std::to_string(getpid()) + " on " + host;
  if (ftruncate(descriptor, 0) != 0) return SystemError("truncate " + path, errno);
  // The holder's name is for people: on a full disk the lock is valid without it.
  Status named = WriteAll(descriptor, holder, path);
  if (!named && named.error().code != Code::kFull) return named.error();
  return lock;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);  // the kernel releases the flock
}

}  // namespace base
