// Archives of regular files as tar writes and reads them: POSIX ustar and GNU's long names out;
// that and pax paths in. Nothing is unpacked onto a disk: a file is its path and its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/archive/tar_writer.h"
#include "lib/http/message/message.h"

namespace memory {

using base::TarEnd;
using base::TarFile;

// The file at the beginning of what TarFile and TarEnd wrote; nullopt: not all of it is there yet.
// An empty block of the end has no path.
struct TarEntry {
  std::string path;
  std::string_view bytes;
  size_t end = 0;  // where the next one begins
};
base::Result<std::optional<TarEntry>> FirstTarFile(std::string_view archive);

bool StartsAsTar(std::string_view beginning);  // needs 512 bytes

struct TarHandlers {
  // Whether a file's bytes are wanted; the others are passed over, whatever their size.
  std::function<bool(const std::string& path)> wants;
  std::function<base::Status(const std::string& path, std::string_view bytes)> on_file;
  // A wanted file with more than max_bytes.
  std::function<void(const std::string& path)> on_too_large;
  // An entry that is passed over and no directory: a file that is not wanted, else a link, a
  // device.
  std::function<void(const std::string& path, bool file)> on_passed = nullptr;
  size_t max_bytes = 1 << 20;
};

// While it arrives, with no more than one file in memory. kInvalid: no tar, damaged, or cut off (no
// end of the archive); errors of the callbacks and of the body.
base::Status ReadTar(http::BodyReader& body, const TarHandlers& handlers);

}  // namespace memory
