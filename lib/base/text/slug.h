// A text as a name that is safe on any file system. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Lower-case ASCII letters, digits and single dashes, at most `bytes`; may be empty.
std::string Slug(std::string_view text, size_t bytes);

}  // namespace base
