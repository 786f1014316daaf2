// What tells two texts apart although they mean nearly the same: identifiers, numbers, weekdays,
// months and negations. Such texts are no duplicates, however near their vectors are. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memory {

// These of a text, folded, in the order of the text.
std::vector<std::string> TellingWords(std::string_view text);

}  // namespace memory
