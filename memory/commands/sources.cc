// One piece, or one note, in memory at a time.
#include "memory/commands/sources.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "memory/transfer/notes/notes.h"
#include "memory/transfer/notes/tar_archive.h"

namespace memory {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr size_t kSourcePiece = 256 << 10;
constexpr size_t kMostFolderNotes = 10'000'000;

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
  // At most `most` bytes; empty at the end.
  Result<std::string> ReadUpTo(size_t most) {
    std::string piece(most, '\0');
    const ssize_t got = read(descriptor_, piece.data(), piece.size());  // a signal ends it
    if (got < 0) return ReadFailure(path_);
    piece.resize(static_cast<size_t>(got));
    return piece;
  }
  Result<std::string> Read() override { return ReadUpTo(kSourcePiece); }

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

struct FolderNote {
  std::string path;  // below the folder
  int64_t modified_ms = 0;
  auto operator<=>(const FolderNote&) const = default;
};

bool IsHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

class FolderSource : public ImportSource {
 public:
  FolderSource(std::string folder, std::vector<FolderNote> notes, int64_t bytes,
               std::function<void(const Error&)> on_unreadable)
      : folder_(std::move(folder)),
        notes_(std::move(notes)),
        bytes_(bytes),
        on_unreadable_(std::move(on_unreadable)) {}
  int64_t total_bytes() const override { return bytes_; }
  Result<std::string> Read() override {
    while (next_ < notes_.size()) {
      const FolderNote& note = notes_[next_++];
      auto bytes = NoteBytes(fs::path(folder_) / note.path);
      if (bytes) return TarFile(note.path, *bytes, note.modified_ms);
      on_unreadable_(bytes.error());
    }
    return std::exchange(ended_, true) ? std::string() : TarEnd();
  }

 private:
  // One byte more than a note may have says that it is too large.
  static Result<std::string> NoteBytes(const fs::path& path) {
    ASSIGN_OR_RETURN(const auto file, OpenFile(path.string()));
    std::string bytes;
    while (bytes.size() <= kMaxNoteBytes) {
      ASSIGN_OR_RETURN(const std::string piece, file->ReadUpTo(kMaxNoteBytes + 1 - bytes.size()));
      if (piece.empty()) break;
      bytes += piece;
    }
    return bytes;
  }

  const std::string folder_;
  const std::vector<FolderNote> notes_;
  const int64_t bytes_;
  const std::function<void(const Error&)> on_unreadable_;
  size_t next_ = 0;
  bool ended_ = false;
};

int64_t ModifiedMs(const fs::directory_entry& entry) {
  std::error_code unknown;
  const auto time = entry.last_write_time(unknown);
  if (unknown) return 0;
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::milliseconds>(system.time_since_epoch()).count();
}

}  // namespace

Result<std::unique_ptr<ImportSource>> OpenFileSource(const std::string& path) {
  ASSIGN_OR_RETURN(auto file, OpenFile(path));
  return std::unique_ptr<ImportSource>(std::move(file));
}

Result<std::unique_ptr<ImportSource>> OpenFolderSource(
    const std::string& path, std::function<void(const Error&)> on_unreadable) {
  std::vector<FolderNote> notes;
  int64_t bytes = 0;
  std::error_code failed;
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (IsHidden(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code odd;
    if (at->is_symlink(odd) || !at->is_regular_file(odd) || at->path().extension() != ".md")
      continue;
    if (notes.size() >= kMostFolderNotes)
      return Error{Code::kTooLarge, path + " has more than " + std::to_string(kMostFolderNotes) +
                                        " notes: import its folders one by one"};
    notes.push_back({at->path().lexically_relative(path).generic_string(), ModifiedMs(*at)});
    const auto size = static_cast<int64_t>(at->file_size(odd));
    const int64_t limit = kMaxNoteBytes + 1;
    if (!odd)
      bytes += static_cast<int64_t>(TarFile(notes.back().path, "", 0).size()) +
               (std::min(size, limit) + 511) / 512 * 512;
  }
  if (failed) return Error{Code::kUnavailable, path + " cannot be read: " + failed.message()};
  if (notes.empty())
    return Error{Code::kNotFound, path + " has no Markdown notes (*.md): name an export's file"};
  std::sort(notes.begin(), notes.end());
  return std::unique_ptr<ImportSource>(
      std::make_unique<FolderSource>(path, std::move(notes), bytes, std::move(on_unreadable)));
}

}  // namespace memory
