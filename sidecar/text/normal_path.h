// Resolves dots and slashes in the text of a path. Follows no links. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

// An absolute path without ".", ".." and double slashes; `path` is relative to `directory` unless
// it starts with '/'.
std::string NormalPath(std::string_view path, std::string_view directory);

// The name of the first step of an absolute path.
std::string_view FirstStep(std::string_view path);
// A directory that systems have at the root: etc, usr, home.
bool IsRootDirectory(std::string_view name);

}  // namespace sidecar
