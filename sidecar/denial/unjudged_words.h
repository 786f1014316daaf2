// What of a command nobody can judge before it runs, in words for the audit log. Pure.
#pragma once

#include <string>
#include <vector>

#include "sidecar/denial/shell_word.h"

namespace sidecar {

// Why the word may name a path that is not seen here: it expands, a link may stand behind a
// wildcard, or xargs reads what it is given. Empty: it is judged. `word` is marked (MarkTexts).
std::string WhyPathIsUnjudged(const ShellWord& word);

// The reasons of all words of a script, each once: "command: …". `commands`, `paths`: which of the
// policy's lists there are.
std::vector<std::string> UnjudgedOfScript(const std::string& script, bool commands, bool paths);

}  // namespace sidecar
