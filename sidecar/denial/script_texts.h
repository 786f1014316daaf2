// Classifies the words of a script by a table of ordinary programs: a text or code for its program
// is no path. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sidecar/shell/shell_word.h"

namespace sidecar {

// Sets owner, text_only, code and elsewhere of each word.
void ClassifyWords(std::vector<ShellWord>& words);

// The part of a word that may be a path on this machine: /a in docker run -v /a:/b.
ShellWord OnThisMachine(const ShellWord& word);

// The parts of code or of a quoted text that could be paths; of sed's code only the files that it
// reads and writes.
std::vector<std::string> PartsOfCode(const ShellWord& word);

}  // namespace sidecar
