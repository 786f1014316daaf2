// Reads a commit that a command just made from the repository where it ran. A repository that
// cannot be seen, as from a pod, is no error: the commit is not found. Runs no program and changes
// nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "sidecar/rules/commits.h"

namespace sidecar {

// `query.directory` is absolute. nullopt: no repository of this user's, or its log has no such
// commit. Bounded in bytes, objects and depth; any thread.
std::optional<RepositoryCommit> ReadCommit(const CommitQuery& query, int64_t now_ms);

}  // namespace sidecar
