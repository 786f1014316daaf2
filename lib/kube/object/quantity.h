// Resource quantities ("500m", "1Gi", "1e3") as the API reads them. Pure.
#pragma once

#include <string_view>

#include "lib/base/result.h"

namespace kube {

// In billionths; finer parts are rounded away from zero, like in the API. kInvalid: not a quantity,
// or beyond ±2⁶³.
__extension__ using Nanos = __int128;
base::Result<Nanos> ParseQuantity(std::string_view text);
// Whether both are quantities of the same value, such as "1024Mi" and "1Gi".
bool SameQuantity(std::string_view left, std::string_view right);

}  // namespace kube
