// Marks the words of a script that are texts or code for their program, and no paths, by a table of
// ordinary programs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sidecar/shell/shell_word.h"

namespace sidecar {

// Sets owner, text_only and code of each word.
void MarkTexts(std::vector<ShellWord>& words);

// The part of a word that may be a path here: of docker run -v /a:/b only /a.
ShellWord OnThisMachine(const ShellWord& word);

// The parts of code or of a quoted text that could be paths. Of sed's code only the files that it
// reads and writes, not its expressions.
std::vector<std::string> PartsOfCode(const ShellWord& word);

}  // namespace sidecar
