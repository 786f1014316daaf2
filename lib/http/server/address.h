// Parses the address of a listener in a setting. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/base/result.h"

namespace http {

// Parses "address:port", "[v6]:port", "localhost:port" or ":port" (all addresses); kInvalid.
base::Result<std::pair<std::string, int>> ParseAddress(std::string_view address);

}  // namespace http
