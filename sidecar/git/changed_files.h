// The files in which two trees of a repository differ. Within limits of depth, files and bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/git/git_objects.h"

namespace sidecar {

// Paths in git's order; removed, new and changed ones. The ids are of trees; an empty one has no
// files. nullopt: a tree cannot be read, or the limits are exceeded.
std::optional<std::vector<std::string>> ChangedFiles(GitObjects& objects, std::string_view before,
                                                     std::string_view after);

}  // namespace sidecar
