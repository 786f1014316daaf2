// Decodes the escapes of $'…' and of printf's format. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

// Replaces \n, \x41, \101, \u0041 and the like by their characters; NUL ends the text, as in a
// shell.
std::string DecodeEscapes(std::string_view text);

}  // namespace sidecar
