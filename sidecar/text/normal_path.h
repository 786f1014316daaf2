// Paths as text: what a path names once its dots and slashes are resolved. Follows no links. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

// An absolute path without ".", ".." and double slashes; `path` is relative to `directory` unless
// it starts with '/'.
std::string NormalPath(std::string_view path, std::string_view directory);

}  // namespace sidecar
