// Which words of a script are texts or code to the program that gets them, and no paths: by a table
// of ordinary programs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sidecar/denial/shell_word.h"

namespace sidecar {

// Sets owner, text_only and code of each word.
void MarkTexts(std::vector<ShellWord>& words);

// Parts of code, or of a text in quotes, that could be paths. Of sed's code these are the files
// that it reads and writes: what stands in its expressions is text.
std::vector<std::string> PartsOfCode(const ShellWord& word);

}  // namespace sidecar
