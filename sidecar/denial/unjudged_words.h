// Explains for the audit log which words of a command cannot be judged before it runs. Pure.
#pragma once

#include <string>
#include <vector>

#include "sidecar/shell/shell_word.h"

namespace sidecar {

// Why the word may name an unknown path: it expands, its wildcard may match a link, or xargs reads
// it. Empty: it is judged. Requires MarkTexts.
std::string WhyPathIsUnjudged(const ShellWord& word);

// The distinct reasons of all words of a script: "command: …". `commands`, `paths`: whether the
// policy has these lists.
std::vector<std::string> UnjudgedOfScript(const std::string& script, bool commands, bool paths);

}  // namespace sidecar
