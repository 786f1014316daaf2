// Splits a shell command into words like a POSIX shell, without running it. Marks words with
// expansions, whose values are unknown. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "sidecar/shell/shell_word.h"

namespace sidecar {

inline constexpr size_t kMaxShellWords = 4'096;

// The body of a here-document.
struct ShellDocument {
  std::string text;    // without the tabs that <<- strips
  size_t command = 0;  // of the command that reads it, as in ShellWord
  size_t at = 0;       // how many words were read before its end
};

// The words of all commands in it, including substitutions and redirections. kInvalid, with the
// reason: an open quote, bracket or here-document, or too many words. `documents`: gets all
// here-documents in order; null: nothing.
base::Result<std::vector<ShellWord>> ParseShellWords(
    std::string_view command, std::vector<ShellDocument>* documents = nullptr);

}  // namespace sidecar
