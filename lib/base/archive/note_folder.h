// Reads a folder of Markdown notes as a tar archive, note by note. Ignores other files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace base {

inline constexpr size_t kMostNoteBytes = 8 << 20;  // larger notes: one byte more, to be refused

// Whether a path has the ending of a note: .md, .markdown, or .mdc, as rules of editors have it.
inline bool IsNoteFile(std::string_view path) {
  return path.ends_with(".md") || path.ends_with(".markdown") || path.ends_with(".mdc");
}

class NoteFolder {
 public:
  using OnUnreadable = std::function<void(const Error&)>;
  // Lists the .md files below the folder by name, without hidden ones and symbolic links. Next
  // skips unreadable notes and passes their errors to `on_unreadable`. kNotFound: no notes;
  // kTooLarge: over 10,000,000 notes.
  static Result<NoteFolder> Open(const std::string& path, OnUnreadable on_unreadable);

  int64_t total_bytes() const { return bytes_; }  // of the archive, approximately
  std::string Next();                             // the next part of the archive; empty: the end

 private:
  struct Note {
    std::string path;  // relative to the folder
    int64_t modified_ms = 0;
    auto operator<=>(const Note&) const = default;
  };
  std::string folder_;
  OnUnreadable on_unreadable_;
  std::vector<Note> notes_;
  int64_t bytes_ = 0;
  size_t next_ = 0;
  bool ended_ = false;
};

}  // namespace base
