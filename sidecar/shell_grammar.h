// The few facts of the shell's grammar that words alone show. Pure.
#pragma once

#include <string_view>

namespace sidecar {

bool IsNameCharacter(char c);
bool IsAssignment(std::string_view word);  // name=…
// Behind it the next word is a command's name again: do, {, time, coproc.
bool IsBeforeCommand(std::string_view word);
// What comes next is a compound command, so that the word before it is coproc's name for it.
bool IsCompound(std::string_view rest);

}  // namespace sidecar
