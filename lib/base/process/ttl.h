// The field `ttl` of a body. Pure.
#pragma once

#include <cstdint>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace base {

// A life in nanoseconds: whole nanoseconds as a number, or a Go duration such as "24h"; 0: for
// ever.
Result<int64_t> DecodeTtl(const Json& ttl);

}  // namespace base
