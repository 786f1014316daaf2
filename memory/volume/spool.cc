// Plain file calls; no sync, since the file is useless after a crash.
#include "memory/volume/spool.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "lib/base/process/random.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr int64_t kLeftForOthersBytes = 16 << 20;
constexpr int64_t kLookEveryBytes = 1 << 20;
constexpr size_t kPieceBytes = 64 << 10;
constexpr const char* kSpoolMark = ".spool-";

Error FileError(const std::string& path) {
  const Code code = errno == ENOSPC || errno == EDQUOT ? Code::kFull : Code::kInternal;
  return Error{code, path + ": " + strerror(errno)};
}

}  // namespace

Result<Spool> Spool::Make(const std::string& beside, SpoolCharge charge) {
  std::string path = beside + kSpoolMark + base::RandomHex(8);
  int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return FileError(path);
  return Spool(std::move(path), descriptor, std::move(charge));
}

void Spool::RemoveLeftovers(const std::string& beside) {
  const std::filesystem::path file(beside);
  const std::string mark = file.filename().string() + kSpoolMark;
  std::error_code ignored;
  std::filesystem::directory_iterator entries(file.parent_path(), ignored);
  for (const auto& entry : entries) {
    if (!entry.path().filename().string().starts_with(mark)) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
}

Spool::Spool(Spool&& other) noexcept
    : path_(std::exchange(other.path_, std::string())),
      descriptor_(std::exchange(other.descriptor_, -1)),
      charge_(std::move(other.charge_)),
      written_(other.written_),
      read_(other.read_),
      unchecked_(other.unchecked_),
      named_(other.named_),
      held_(std::move(other.held_)) {}

Spool::~Spool() {
  if (descriptor_ < 0) return;
  Unname();
  close(descriptor_);
}

void Spool::Unname() {
  if (std::exchange(named_, false)) unlink(path_.c_str());
}

Status Spool::CheckRoom(int64_t bytes) const {
  struct statvfs space {};
  if (fstatvfs(descriptor_, &space) != 0) return FileError(path_);
  const int64_t free = static_cast<int64_t>(space.f_bavail) * static_cast<int64_t>(space.f_frsize);
  if (free >= bytes + kLeftForOthersBytes) return {};
  return Error{Code::kFull, "the volume has " + std::to_string(free) + " bytes left; " +
                                std::to_string(bytes + kLeftForOthersBytes) +
                                " are needed: enlarge it, or use format=jsonl, which needs none"};
}

Status Spool::Append(std::string_view bytes) {
  RETURN_IF_ERROR(charge_.Set(written_ + static_cast<int64_t>(bytes.size())));
  written_ += static_cast<int64_t>(bytes.size());
  unchecked_ += static_cast<int64_t>(bytes.size());
  if (unchecked_ >= kLookEveryBytes) {
    RETURN_IF_ERROR(CheckRoom(unchecked_));
    unchecked_ = 0;
  }
  while (!bytes.empty()) {
    ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path_);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<std::string> Spool::Read() {
  std::string piece(kPieceBytes, '\0');
  ssize_t got = -1;
  do {
    got = pread(descriptor_, piece.data(), piece.size(), read_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return FileError(path_);
  piece.resize(static_cast<size_t>(got));
  read_ += got;
  return piece;
}

}  // namespace memory
