// Whether the words of a command are those of an entry of a policy's blockedCommands. Cutting
// commands is shell_words. Pure.
#pragma once

#include <string>
#include <vector>

namespace sidecar {

// `argv` begins with the program. The first word of the entry is the program's, whatever directory
// it lies in; options between the words of the entry are skipped; an option of the entry may stand
// anywhere before --, and letters of short ones in any order; a word * is any number of words.
bool MatchesCommand(const std::vector<std::string>& wanted, const std::vector<std::string>& argv);

// An entry that begins with * is not bound to the place of a command.
bool MatchesAnywhere(const std::vector<std::string>& wanted);

}  // namespace sidecar
