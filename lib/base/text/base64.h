// Base64 as in RFC 4648: with padding (§4) in JSON, by the URL alphabet (§5) in tokens.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace base {

std::string EncodeBase64(std::string_view bytes);         // one line
Result<std::string> DecodeBase64(std::string_view text);  // blanks and line ends are passed over
// The URL alphabet (RFC 4648 §5) without padding, as RFC 7515 has it; nothing is passed over.
Result<std::string> DecodeBase64Url(std::string_view text);

}  // namespace base
