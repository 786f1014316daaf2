// The known word that a mistyped one is nearest to. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace client {

// At most two changed, missing, added or swapped characters away, and fewer than half of the word;
// empty: none is so near.
std::string NearestWord(std::string_view word, const std::vector<std::string>& known);

}  // namespace client
