// Base64 as in RFC 4648 §4, with padding: how bytes stand in JSON.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace base {

std::string EncodeBase64(std::string_view bytes);         // one line
Result<std::string> DecodeBase64(std::string_view text);  // blanks and line ends are passed over

}  // namespace base
