// A folder of Markdown notes as the tar archive it would be, note by note. Not for other files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace base {

inline constexpr size_t kMostNoteBytes = 1 << 20;  // of a larger one a byte more is read

class NoteFolder {
 public:
  using OnUnreadable = std::function<void(const Error&)>;
  // The .md files below the folder, in order of their names; what is hidden and symbolic links are
  // left out, as is what cannot be read, of which `on_unreadable` gets the error. kNotFound: there
  // are none.
  static Result<NoteFolder> Open(const std::string& path, OnUnreadable on_unreadable);

  int64_t total_bytes() const { return bytes_; }  // of the archive, about
  std::string Next();                             // empty: that was all

 private:
  struct Note {
    std::string path;  // below the folder
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
