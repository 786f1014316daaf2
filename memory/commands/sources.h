// The sources of an import: a file, standard input, or a folder of notes, read as a tar archive.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lib/http/message/message.h"

namespace memory {

class ImportSource : public http::BodyReader {
 public:
  virtual int64_t total_bytes() const = 0;  // 0: unknown
};

// `path`: "-" is standard input. kNotFound: no such file, or a folder without notes.
base::Result<std::unique_ptr<ImportSource>> OpenFileSource(const std::string& path);
// Like base::NoteFolder.
base::Result<std::unique_ptr<ImportSource>> OpenFolderSource(
    const std::string& path, std::function<void(const base::Error&)> on_unreadable);

}  // namespace memory
