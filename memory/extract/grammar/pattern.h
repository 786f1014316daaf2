// Patterns over words: a clause whose beginning matches a pattern states a fact of the pattern's
// category. For languages with blanks between words. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memory/extract/grammar/fact.h"
#include "memory/extract/prose/words.h"

namespace memory {

// Conditions of a pattern beyond its words, as bits.
enum Needs : unsigned {
  kNothing = 0,
  kPastTime = 1,       // requires a past time: "yesterday", "just"
  kFutureTime = 2,     // requires a future time
  kFigure = 4,         // requires a number, a name, `code` or a "not" in the rest
  kMayEnd = 8,         // the rest may be empty
  kByAnySpeaker = 16,  // the assistant may state it, too
  kMayAddress = 32,    // may contain "you"
  kTwoWords = 64,      // requires two words of content in the rest; a verb of the pattern counts
  kNoPraise = 128      // the rest must not be praise: "so great", "my everything"
};

// `words`: elements separated by blanks. "a|b" matches one of these words; "?a" is optional; "^a"
// is the verb to put into the third person; "@name" matches a class of the language. `replacement`:
// for the matched words in the fact; nullptr: they stay.
struct PatternRow {
  const char* words;
  FactCategory category;
  double importance;
  unsigned needs = kNothing;
  const char* replacement = nullptr;
};

// A class "@name": an element matches from `least` to `most` words of it.
struct WordClass {
  std::string_view name;
  bool (*has)(const Word& word);
  size_t least, most;
};

struct PatternMatch {
  const PatternRow* row = nullptr;
  size_t verb = 0;  // the word of "^"; without one the first word
  size_t rest = 0;  // the first word after the pattern
};

// The patterns of one language, found by the first word. Immutable after it is made.
class Patterns {
 public:
  // The texts of the rows and the functions of the classes outlive it.
  Patterns(std::vector<PatternRow> rows, std::vector<WordClass> classes);
  Patterns(const Patterns&) = delete;
  Patterns(Patterns&&) = default;  // pointers into the vectors stay valid

  // Calls `accept` with each pattern that matches the words from `begin` on, in the order of the
  // table, until it returns true. `end`: of the clause, exclusive.
  template <class Accept>
  bool Find(const std::vector<Word>& words, size_t begin, size_t end, Accept&& accept) const {
    if (begin >= end) return false;
    const auto found = by_word_.find(words[begin].folded);
    const std::vector<size_t>& own = found == by_word_.end() ? by_class_ : found->second;
    for (const size_t at : own) {
      PatternMatch match{patterns_[at].row, begin, begin};
      if (Matches(patterns_[at], 0, words, begin, end, match) && accept(match)) return true;
    }
    return false;
  }

 private:
  struct Element {
    std::vector<std::string> words;
    const WordClass* of = nullptr;
    size_t least = 1, most = 1;
    bool verb = false;
    bool Has(const Word& word) const;
  };
  struct Pattern {
    const PatternRow* row;
    std::vector<Element> elements;
  };

  static bool Matches(const Pattern& pattern, size_t element, const std::vector<Word>& words,
                      size_t at, size_t end, PatternMatch& match);

  std::vector<PatternRow> rows_;
  std::vector<WordClass> classes_;
  std::vector<Pattern> patterns_;
  // Patterns that may begin with the word, in order; includes those that begin with a class.
  std::unordered_map<std::string, std::vector<size_t>> by_word_;
  std::vector<size_t> by_class_;
};

}  // namespace memory
