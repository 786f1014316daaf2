// Splits a shell command into words like a POSIX shell, without running it. Marks words with
// expansions, whose values are unknown. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "sidecar/denial/shell_word.h"

namespace sidecar {

inline constexpr size_t kMaxShellWords = 4'096;

// The words of all commands in it, including substitutions and redirections. kInvalid, with the
// reason: an open quote, bracket or here-document, or too many words.
base::Result<std::vector<ShellWord>> ParseShellWords(std::string_view command);

}  // namespace sidecar
