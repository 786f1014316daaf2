// A target is synced before it is renamed to its final name.
#include "memory/commands/targets.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "lib/base/archive/tar.h"
#include "lib/base/process/file.h"

namespace memory {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr const char* kPart = ".part";

Error WriteFailure(const std::string& path) {
  return {errno == ENOSPC || errno == EDQUOT ? Code::kFull : Code::kUnavailable,
          path + " cannot be written: " + std::strerror(errno)};
}

Error IsThere(const std::string& path) {
  return {Code::kConflict, path + " exists: remove it, or name another"};
}

Status WriteAll(int descriptor, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0) return WriteFailure(path);  // a signal ends it
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return {};
}

Status Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) return WriteFailure(to);
  const fs::path folder = fs::path(to).parent_path();
  return base::SyncDirectory(folder.empty() ? "." : folder.string());
}

class StandardOutput : public ExportTarget {
 public:
  Status Write(std::string_view bytes) override {
    return WriteAll(STDOUT_FILENO, "standard output", bytes);
  }
  Status Finish() override { return {}; }
};

// One file; the destructor closes it and, without Finish, removes it.
class FileTarget : public ExportTarget {
 public:
  FileTarget(std::string path, base::FileBeside part)
      : path_(std::move(path)), part_(std::move(part)) {}
  ~FileTarget() override {
    if (part_.descriptor < 0) return;
    close(part_.descriptor);
    unlink(part_.path.c_str());
  }
  Status Write(std::string_view bytes) override {
    return WriteAll(part_.descriptor, part_.path, bytes);
  }
  Status Finish() override {
    if (fsync(part_.descriptor) != 0) return WriteFailure(part_.path);
    RETURN_IF_ERROR(Rename(part_.path, path_));
    close(std::exchange(part_.descriptor, -1));
    return {};
  }

 private:
  const std::string path_;
  base::FileBeside part_;
};

class FolderTarget : public ExportTarget {
 public:
  explicit FolderTarget(std::string path) : path_(std::move(path)) {}
  ~FolderTarget() override {
    if (finished_ || part_.empty()) return;
    std::error_code ignored;
    fs::remove_all(part_, ignored);
  }
  // Makes a folder of a name that nobody knows before.
  Status Begin() {
    const fs::path above = fs::path(path_).parent_path();
    if (!above.empty()) RETURN_IF_ERROR(base::MakeDirectories(above.string()));
    std::string name = path_ + kPart + "-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return WriteFailure(name);
    part_ = std::move(name);
    return {};
  }
  Status Write(std::string_view bytes) override { return archive_.Push(bytes); }
  Status Finish() override {
    const int folder = open(part_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = folder >= 0 && syncfs(folder) == 0;
    const Status unsynced = synced ? Status() : WriteFailure(part_);
    if (folder >= 0) close(folder);
    RETURN_IF_ERROR(unsynced);
    RETURN_IF_ERROR(Rename(part_, path_));
    finished_ = true;
    return {};
  }

 private:
  Status Unpack(const std::string& file, std::string_view bytes) {
    const fs::path name = fs::path(file).lexically_normal();
    if (name.is_absolute() || *name.begin() == "..")
      return Error{Code::kInternal, "an export has a file " + file};
    const std::string path = (fs::path(part_) / name).string();
    RETURN_IF_ERROR(base::MakeDirectories(fs::path(path).parent_path().string()));
    const int descriptor =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return WriteFailure(path);
    const Status written = WriteAll(descriptor, path, bytes);
    if (close(descriptor) != 0 && written) return WriteFailure(path);
    return written;
  }

  const std::string path_;
  std::string part_;  // empty: not made
  bool finished_ = false;
  base::TarReader archive_{{.on_file = [this](const std::string& path, std::string_view bytes) {
    return Unpack(path, bytes);
  }}};
};

}  // namespace

Result<std::unique_ptr<ExportTarget>> OpenFileTarget(const std::string& path) {
  if (path == "-") return std::unique_ptr<ExportTarget>(std::make_unique<StandardOutput>());
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(path, unknown))) return IsThere(path);
  ASSIGN_OR_RETURN(base::FileBeside part, base::MakeFileBeside(path, kPart));
  return std::unique_ptr<ExportTarget>(std::make_unique<FileTarget>(path, std::move(part)));
}

Result<std::unique_ptr<ExportTarget>> OpenFolderTarget(const std::string& given) {
  std::string path = given;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::error_code unknown;
  const bool there = fs::exists(fs::symlink_status(path, unknown));
  if (there && !(fs::is_directory(path, unknown) && fs::is_empty(path, unknown)))
    return IsThere(path);
  auto target = std::make_unique<FolderTarget>(path);
  RETURN_IF_ERROR(target->Begin());
  return std::unique_ptr<ExportTarget>(std::move(target));
}

}  // namespace memory
