// The tags by which server and clients agree that a person pinned or buried a memory. Only PATCH
// sets them.
#pragma once

namespace api {

inline constexpr const char* kPinnedTag = "@pinned";  // never expires, ranks first
inline constexpr const char* kBuriedTag = "@buried";  // found, but never injected

}  // namespace api
