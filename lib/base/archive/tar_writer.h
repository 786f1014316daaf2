// Writes tar archives of regular files: POSIX ustar with GNU's long names. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace base {

// Header, bytes and padding of one file, mode 0644, owner 0; a path over 100 bytes as a GNU long
// name.
std::string TarFile(std::string_view path, std::string_view bytes, int64_t modified_ms);
std::string TarEnd();  // after the last file

}  // namespace base
