// The prose of a message: without code, pasted or quoted lines, notes in brackets, markup, and
// memories that a recall injected (`<memory:…>`). Pure; linear in the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memory {

inline constexpr size_t kMaxProse = size_t{64} << 10;  // bytes that are read of a message

// Valid UTF-8 without controls other than line ends. A removed part ends the paragraph.
std::string ProseOf(std::string_view message);

}  // namespace memory
