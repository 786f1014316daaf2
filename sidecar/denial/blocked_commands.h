// Matches the words of a command against an entry of a policy's blockedCommands. shell_words.h
// splits commands. Pure.
#pragma once

#include <string>
#include <vector>

namespace sidecar {

// Whether the word is the wanted program, in any directory: /bin/rm matches rm.
bool MatchesProgram(const std::string& wanted, const std::string& word);
// `argv` begins with the program, which the entry's first word must match. Options between the
// entry's words are skipped; an option of the entry may occur anywhere before --, the letters of
// short options in any order; a word * matches any number of words.
bool MatchesCommand(const std::vector<std::string>& wanted, const std::vector<std::string>& argv);

// Whether the entry begins with * and is more than a lone *: it is compared with all words, not
// only from the name of a command on.
bool MatchesAnywhere(const std::vector<std::string>& wanted);

}  // namespace sidecar
