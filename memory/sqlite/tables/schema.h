// The tables of a tenant's file, as steps for sqlite::Migrate. A step that was released never
// changes.
#pragma once

#include <vector>

namespace memory {

const std::vector<const char*>& SchemaSteps();
inline constexpr const char* kFtsTable = "words";  // for the integrity check

}  // namespace memory
