// One way of cutting a text into index terms: for queries, rows, items, traces and earlier texts.
// Two texts that readers take for the same have the same terms, whatever their normal form, case,
// accents and width. Pure. A term is one token of FTS5's unicode61, which would drop the vowels of
// many scripts: their letters are stored as private characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memory {

// Between blanks or punctuation.
struct CutWord {
  std::string term;
  std::vector<std::string> humps;  // of parseHTMLResponse, абвXyz: the words in it; else empty
};

// What . _ - / \ : @ + # join, or a run of a script without blanks.
struct CutToken {
  std::string text;                 // normalized, as it was written
  std::vector<CutWord> words;       // empty: a run
  std::vector<std::string> wholes;  // more than one word as one term; then parts of several words
  std::vector<std::string> grams;   // single characters and overlapping pairs, in turns
  bool identifier = false;          // no word of a language (base::IsIdentifier)
};

// The whole of v1.2.3 and 1.2.3 is the same; also that of fooBar and foo_bar.
std::vector<CutToken> CutText(std::string_view text);

// The terms of a text, separated by blanks, except those that FTS5 finds in the indexed text.
enum class Indexed { kAsItIs, kOtherwise };
std::string AddedTerms(std::string_view text, Indexed indexed = Indexed::kAsItIs);

// A folded word, or words joined by kJoint, as a term.
inline constexpr char kJoint = '\x1F';
std::string TermOf(std::string_view folded);

}  // namespace memory
