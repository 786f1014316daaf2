// Compresses texts in zlib's format (RFC 1950), in one call. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace base {

std::string Deflate(const std::string& text);
// nullopt: damaged, or not a text of exactly `size` bytes.
std::optional<std::string> Inflate(const std::string& deflated, size_t size);

}  // namespace base
