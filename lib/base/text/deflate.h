// Compresses texts in zlib's format (RFC 1950), in one call.
// Bytes after the compressed text are ignored. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace base {

std::string Deflate(const std::string& text);
// nullopt: damaged, or not a text of exactly `size` bytes.
std::optional<std::string> Inflate(const std::string& deflated, size_t size);
// A text of unknown size. nullopt: damaged, or over `most` bytes, at which it stops.
std::optional<std::string> InflateAtMost(const std::string& deflated, size_t most);

}  // namespace base
