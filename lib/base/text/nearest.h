// Finds the known word nearest to a mistyped one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// At most two changed, missing, added or swapped characters away, and fewer than half of the longer
// word; empty: no such word.
std::string NearestWord(std::string_view word, const std::vector<std::string>& known);
// The text between "unknown X" and the next sentence: "; did you mean 'check'? ", or "; ".
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace base
