// Reads the value that a text assigns to a name, as programs, files and shells write it: with =, :,
// =>, in (escaped) quotes, as an option, a pair of name and value, an element, a block. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lib/redaction/spans.h"

namespace redaction {

// Words that a secret name has; the others need one of them.
inline constexpr const char* kNameWords[] = {
    "passw",      "passwd", "passphrase", "passcode", "pwd",           "pass",  "secret", "token",
    "credential", "apikey", "key",        "cookie",   "authorization", "_auth", "otp",    "cvv"};

// The secret that is assigned to the name around [begin, end), when there is one. Looks at a
// bounded part of the text. `looked`: how far, which a caller need not look at again.
std::optional<SecretSpan> AssignedTo(std::string_view text, size_t begin, size_t end,
                                     size_t& looked);

}  // namespace redaction
