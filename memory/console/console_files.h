// The files of the web console as bytes of the program. cmake/embed.py writes their definition from
// console/dist when the program is built.
#pragma once

#include <span>
#include <string_view>

namespace memory {

struct ConsoleFile {
  std::string_view
      name;  // index.html, app.3f2a9c01.js: all but the index have a hash of their bytes
  std::string_view bytes, gzip;
};

std::span<const ConsoleFile> ConsoleFiles();

}  // namespace memory
