// The words of a script, including those of code that it passes to shells. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "sidecar/shell/shell_words.h"

namespace sidecar {

// The words of a command regardless of quotes, so that code inside a quoted argument counts.
std::vector<std::string> FlatWords(std::string_view command);

// Appends the words up to an error. kInvalid: too deep, too many, or a syntax error.
base::Status AddScriptWords(std::string_view script, std::vector<ShellWord>& all);

}  // namespace sidecar
