// The root commits of a repository, which identify it wherever it lies: what git itself says,
// within a time limit.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace client {

// Of all branches, sorted; empty: no commit yet. nullopt: not known, because git is missing, slow,
// refuses the directory, or the clone is shallow. Call on a long-lived thread (see Child).
std::optional<std::vector<std::string>> RootCommits(const std::string& root);

// Whether the repository has one of these commits; nullopt as above.
std::optional<bool> HasCommit(const std::string& root, const std::vector<std::string>& commits);

}  // namespace client
