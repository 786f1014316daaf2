// The words of a script together with those of the code that it hands to shells. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "sidecar/denial/shell_words.h"

namespace sidecar {

// The words of a command whatever its quotes mean, so that code inside a quoted argument counts.
std::vector<std::string> FlatWords(std::string_view command);

// Appends what can be read, also when not all of it can. kInvalid: too deep, too many, unreadable.
base::Status AddScriptWords(std::string_view script, std::vector<ShellWord>& all);

}  // namespace sidecar
