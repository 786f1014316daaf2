// Decodes the field `ttl` of a body. Pure.
#pragma once

#include <cstdint>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace base {

// The TTL in nanoseconds: a number of nanoseconds, or a Go duration such as "24h", at least 1 ms;
// 0: no expiry.
Result<int64_t> DecodeTtl(const Json& ttl);

}  // namespace base
