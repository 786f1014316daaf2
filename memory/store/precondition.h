// The precondition of a conditional write (RFC 9110, section 13).
#pragma once

#include <cstdint>
#include <optional>

namespace memory {

struct Precondition {
  std::optional<int64_t> version;  // If-Match
  bool present = false;            // If-Match: *
  bool absent = false;             // If-None-Match: *

  // `live`: the present version; nullopt: absent.
  bool Holds(std::optional<int64_t> live) const {
    if (absent && live) return false;
    if (present && !live) return false;
    return !version || live == version;
  }
};

}  // namespace memory
