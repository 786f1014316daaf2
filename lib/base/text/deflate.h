// Texts in fewer bytes: zlib's format (RFC 1950), in one piece. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace base {

std::string Deflate(const std::string& text);
// nullopt: these are no deflated bytes of a text of exactly `size` bytes.
std::optional<std::string> Inflate(const std::string& deflated, size_t size);

}  // namespace base
