// One form for what readers take for the same text: for full-text indexes and their queries.
#pragma once

#include <string>
#include <string_view>

namespace base {

// Compatible forms as one (NFKC: full width, ligatures, jamo), decimal digits as ASCII, hyphens as
// "-", without invisible characters. Keeps case.
std::string NormalizeForms(std::string_view text);

// A normalized word in lower case: full case folding, without the accents of Latin, Greek and
// Cyrillic (й stays) and the points of Hebrew and Arabic. Marks of other scripts are vowels: they
// stay.
std::string FoldWord(std::string_view word);

}  // namespace base
