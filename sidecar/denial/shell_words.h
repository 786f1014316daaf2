// Cuts a shell command into words as a POSIX shell would, without running any of it. What a word
// becomes when the shell expands it is not known here: such words are marked. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "sidecar/denial/shell_word.h"

namespace sidecar {

inline constexpr size_t kMaxShellWords = 4'096;

// The words of all commands in it, substitutions and redirections included. kInvalid says what
// keeps it from being read: an open quote, bracket or here-document, too many words.
base::Result<std::vector<ShellWord>> ParseShellWords(std::string_view command);

}  // namespace sidecar
