// Archives of regular files as tar writes them: POSIX ustar, and GNU's long names. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace base {

// Header, bytes and padding of one file, mode 0644, owner 0; a path over 100 bytes as GNU's tar
// writes it.
std::string TarFile(std::string_view path, std::string_view bytes, int64_t modified_ms);
std::string TarEnd();  // behind the last file

}  // namespace base
