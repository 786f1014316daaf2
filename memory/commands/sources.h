// What an import reads: a file, standard input, or a folder of notes as the archive it would be.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lib/http/message/message.h"

namespace memory {

class ImportSource : public http::BodyReader {
 public:
  virtual int64_t total_bytes() const = 0;  // to be read; 0: not known
};

// `path`: "-" is standard input. kNotFound: there is nothing, or a folder without notes.
base::Result<std::unique_ptr<ImportSource>> OpenFileSource(const std::string& path);
// As base::NoteFolder.
base::Result<std::unique_ptr<ImportSource>> OpenFolderSource(
    const std::string& path, std::function<void(const base::Error&)> on_unreadable);

}  // namespace memory
