// The known word that a mistyped one is nearest to. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// At most two changed, missing, added or swapped characters away, and fewer than half of the word;
// empty: none is so near.
std::string NearestWord(std::string_view word, const std::vector<std::string>& known);
// What stands between "unknown X" and the next sentence: "; did you mean 'check'? ", or "; ".
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace base
