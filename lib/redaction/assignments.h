// Finds the value that a text assigns to a name, in the forms of programs, files and shells: =, :,
// =>, (escaped) quotes, options, pairs of name and value, XML elements, YAML blocks. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lib/redaction/spans.h"

namespace redaction {

// Words in secret names: the places to try AssignedTo, which decides on the whole name.
inline constexpr const char* kNameWords[] = {
    "passw",         "passwd", "passphrase", "passcode", "pwd", "pass",
    "secret",        "token",  "credential", "apikey",   "key", "cookie",
    "authorization", "auth",   "otp",        "cvv",      "pw",  "sessionid"};

// The secret value that the text assigns to the name around the word [begin, end); nullopt: none.
// Reads a bounded part of the text. `looked`: the end of the part that needs no further search.
std::optional<SecretSpan> AssignedTo(std::string_view text, size_t begin, size_t end,
                                     size_t& looked);

}  // namespace redaction
