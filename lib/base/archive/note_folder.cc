// Memory: one note at a time, and the names of all notes.
#include "lib/base/archive/note_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "lib/base/archive/tar.h"

namespace base {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostNotes = 10'000'000;

Error NoteFailure(const std::string& path) {
  return {Code::kUnavailable, path + " cannot be read: " + std::strerror(errno)};
}

Result<std::string> NoteBytes(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return NoteFailure(path);
  std::string bytes;
  for (ssize_t got = 1; got != 0 && bytes.size() <= kMostNoteBytes;) {
    const size_t before = bytes.size();
    bytes.resize(std::min(before + (64 << 10), kMostNoteBytes + 1));
    got = read(descriptor, bytes.data() + before, bytes.size() - before);
    if (got < 0) {
      const Error failed = NoteFailure(path);
      close(descriptor);
      return failed;
    }
    bytes.resize(before + static_cast<size_t>(got));
  }
  close(descriptor);
  return bytes;
}

int64_t ModifiedMs(const fs::directory_entry& entry) {
  std::error_code unknown;
  const auto time = entry.last_write_time(unknown);
  if (unknown) return 0;
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::milliseconds>(system.time_since_epoch()).count();
}

}  // namespace

Result<NoteFolder> NoteFolder::Open(const std::string& path, OnUnreadable on_unreadable) {
  NoteFolder folder;
  folder.folder_ = path;
  folder.on_unreadable_ = std::move(on_unreadable);
  std::error_code failed;
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (at->path().filename().string().starts_with('.')) {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code odd;
    if (at->is_symlink(odd) || !at->is_regular_file(odd) || !IsNoteFile(at->path().string()))
      continue;
    if (folder.notes_.size() >= kMostNotes) {
      return Error{Code::kTooLarge, path + " has more than " + std::to_string(kMostNotes) +
                                        " notes: import its folders one by one"};
    }
    folder.notes_.push_back(
        {at->path().lexically_relative(path).generic_string(), ModifiedMs(*at)});
    const uint64_t size = std::min<uint64_t>(at->file_size(odd), kMostNoteBytes + 1);
    if (!odd) folder.bytes_ += static_cast<int64_t>(tar::kBlock + size + tar::Padding(size));
  }
  if (failed) return Error{Code::kUnavailable, path + " cannot be read: " + failed.message()};
  if (folder.notes_.empty())
    return Error{Code::kNotFound, path + " has no Markdown notes (*.md): name an export's file"};
  std::sort(folder.notes_.begin(), folder.notes_.end());
  return folder;
}

std::string NoteFolder::Next() {
  while (next_ < notes_.size()) {
    const Note& note = notes_[next_++];
    const auto bytes = NoteBytes((fs::path(folder_) / note.path).string());
    if (bytes) return TarFile(note.path, *bytes, note.modified_ms);
    on_unreadable_(bytes.error());
  }
  return std::exchange(ended_, true) ? std::string() : TarEnd();
}

}  // namespace base
