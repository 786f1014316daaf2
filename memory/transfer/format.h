// What marks an export as ours. One without it is the reference service's, whose duplicate_count
// starts at 1 (rulings K1, K46).
#pragma once

namespace memory {

inline constexpr const char* kExportFormat = "agent-memory/1";

}  // namespace memory
