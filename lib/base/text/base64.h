// Base64 of RFC 4648: with padding (§4) in JSON, in the URL alphabet (§5) in tokens.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace base {

std::string EncodeBase64(std::string_view bytes);         // one line
Result<std::string> DecodeBase64(std::string_view text);  // ignores blanks and line ends
// The URL alphabet (RFC 4648 §5) without padding (RFC 7515); refuses blanks and line ends.
Result<std::string> DecodeBase64Url(std::string_view text);

}  // namespace base
