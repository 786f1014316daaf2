// Byte by byte: anything but ASCII letters and digits is a dash.
#include "lib/base/text/slug.h"

#include <cctype>

namespace base {

std::string Slug(std::string_view text, size_t bytes) {
  std::string slug;
  for (const char c : text) {
    if (slug.size() >= bytes) break;
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte))
      slug += static_cast<char>(std::tolower(byte));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

}  // namespace base
