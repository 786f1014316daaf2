// One piece, or one note, in memory at a time.
#include "memory/commands/sources.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/base/archive/note_folder.h"
#include "memory/transfer/notes/notes.h"

namespace memory {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr size_t kSourcePiece = 256 << 10;

Error ReadFailure(const std::string& path) {
  return {errno == ENOENT ? Code::kNotFound : Code::kUnavailable,
          path + " cannot be read: " + std::strerror(errno)};
}

class FileSource : public ImportSource {
 public:
  FileSource(std::string path, int descriptor, int64_t bytes)
      : path_(std::move(path)), descriptor_(descriptor), bytes_(bytes) {}
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  int64_t total_bytes() const override { return bytes_; }
  Result<std::string> Read() override {
    std::string piece(kSourcePiece, '\0');
    const ssize_t got = read(descriptor_, piece.data(), piece.size());  // a signal ends it
    if (got < 0) return ReadFailure(path_);
    piece.resize(static_cast<size_t>(got));
    return piece;
  }

 private:
  const std::string path_;
  const int descriptor_;
  const int64_t bytes_;
};

Result<std::unique_ptr<FileSource>> OpenFile(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>("standard input", STDIN_FILENO, 0);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return ReadFailure(path);
  std::error_code unknown;
  const auto bytes = fs::file_size(path, unknown);
  return std::make_unique<FileSource>(path, descriptor, unknown ? 0 : static_cast<int64_t>(bytes));
}

class FolderSource : public ImportSource {
 public:
  explicit FolderSource(base::NoteFolder folder) : folder_(std::move(folder)) {}
  int64_t total_bytes() const override { return folder_.total_bytes(); }
  Result<std::string> Read() override { return folder_.Next(); }

 private:
  base::NoteFolder folder_;
};

}  // namespace

Result<std::unique_ptr<ImportSource>> OpenFileSource(const std::string& path) {
  ASSIGN_OR_RETURN(auto file, OpenFile(path));
  return std::unique_ptr<ImportSource>(std::move(file));
}

Result<std::unique_ptr<ImportSource>> OpenFolderSource(
    const std::string& path, std::function<void(const Error&)> on_unreadable) {
  ASSIGN_OR_RETURN(base::NoteFolder folder, base::NoteFolder::Open(path, std::move(on_unreadable)));
  return std::unique_ptr<ImportSource>(std::make_unique<FolderSource>(std::move(folder)));
}

}  // namespace memory
