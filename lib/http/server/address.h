// Where a listener listens, as settings write it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/base/result.h"

namespace http {

// Splits "host:port" forms; kInvalid with what is expected.
base::Result<std::pair<std::string, int>> ParseAddress(std::string_view address);

}  // namespace http
