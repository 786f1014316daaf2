// Matches the words of a command against an entry of a policy's blockedCommands. shell_words.h
// splits commands. Pure.
#pragma once

#include <string>
#include <vector>

namespace sidecar {

// `argv` begins with the program. The first word of the entry is the program's, whatever directory
// it lies in; options between the words of the entry are skipped; an option of the entry may stand
// anywhere before --, and letters of short ones in any order; a word * is any number of words.
bool MatchesCommand(const std::vector<std::string>& wanted, const std::vector<std::string>& argv);

// Whether the entry begins with *: it matches at any word, not only at the name of a command.
bool MatchesAnywhere(const std::vector<std::string>& wanted);

}  // namespace sidecar
