// Identifiers: tokens that are no words of a language, such as addresses, versions, dates, UUIDs,
// hashes, tickets and paths. They are found as a whole and have no meaning. Decides by form,
// without a dictionary: a false "word" is possible, also a false "identifier".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// The tokens of a text, in order: words, and runs of words that . _ - / \ : @ + # join, without the
// punctuation around them, but with the / before a path. Words of scripts without blanks are no
// part of a joined run.
std::vector<std::string_view> Tokens(std::string_view text);

// Whether a token is an identifier: 10.0.0.12, v1.2.3, 2024-01-05, 8a1f0c52-…, deadbeef, JIRA-123,
// /etc/nginx/nginx.conf, foo_bar.baz, user@host, 8080. Words are: Straße, well-being, and/or,
// 20-year-old, e.g., OvertimeService. A text of several tokens is one if each of them is.
bool IsIdentifier(std::string_view token);

// The text with a blank for each identifier.
std::string WithoutIdentifiers(std::string_view text);

}  // namespace base
