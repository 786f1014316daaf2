// What tells two texts apart although they mean nearly the same: identifiers, numbers, weekdays,
// months and negations. Such texts are no duplicates, however near their vectors are. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memory {

// What `token` says that tells texts apart, folded; "not" for every negation; "": nothing. `next`:
// the token after it, in the same text.
std::string TellingWordOf(std::string_view token, std::string_view next);
// These of a text, in the order of the text.
std::vector<std::string> TellingWords(std::string_view text);

}  // namespace memory
