// Patterns are parsed once and looked up by their first word. Matching backtracks only over runs of
// a class, of a few words each, so that the time of a clause is bounded.
#include "memory/extract/grammar/pattern.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"
#include "lib/base/text/text.h"

namespace memory {

bool Patterns::Element::Has(const Word& word) const {
  if (of) return of->has(word);
  return std::find(words.begin(), words.end(), word.folded) != words.end();
}

Patterns::Patterns(std::vector<PatternRow> rows, std::vector<WordClass> classes)
    : rows_(std::move(rows)), classes_(std::move(classes)) {
  for (const PatternRow& row : rows_) {
    Pattern pattern{&row, {}};
    for (const std::string& text : base::Split(row.words, ' ')) {
      Element element;
      std::string_view rest = text;
      for (; rest.starts_with('?') || rest.starts_with('^'); rest.remove_prefix(1)) {
        if (rest[0] == '?') element.least = 0;
        if (rest[0] == '^') element.verb = true;
      }
      if (rest.starts_with('@')) {
        const auto found =
            std::find_if(classes_.begin(), classes_.end(),
                         [&](const WordClass& one) { return one.name == rest.substr(1); });
        CHECK(found != classes_.end());
        element.of = &*found;
        element.least = std::min(element.least, found->least);
        element.most = found->most;
      } else {
        element.words = base::Split(base::FoldCase(rest), '|');  // like the words of a text
      }
      pattern.elements.push_back(std::move(element));
    }
    patterns_.push_back(std::move(pattern));
  }
  const auto begins = [&](const Pattern& pattern, const std::string* word) {
    for (const Element& element : pattern.elements) {
      if (element.of || (word && std::find(element.words.begin(), element.words.end(), *word) !=
                                     element.words.end()))
        return true;
      if (element.least > 0) return false;
    }
    return false;
  };
  for (size_t at = 0; at < patterns_.size(); ++at) {
    if (begins(patterns_[at], nullptr)) by_class_.push_back(at);
    for (const Element& element : patterns_[at].elements) {
      for (const std::string& word : element.words) by_word_[word];
      if (element.least > 0) break;
    }
  }
  for (auto& [word, own] : by_word_) {
    for (size_t at = 0; at < patterns_.size(); ++at) {
      if (begins(patterns_[at], &word)) own.push_back(at);
    }
  }
}

bool Patterns::Matches(const Pattern& pattern, size_t element, const std::vector<Word>& words,
                       size_t at, size_t end, PatternMatch& match) {
  if (element == pattern.elements.size()) {
    match.rest = at;
    return at < end || (pattern.row->needs & kMayEnd) != 0;
  }
  const Element& one = pattern.elements[element];
  size_t most = 0;
  // A run of a class ends at a comma.
  while (most < one.most && at + most < end && (most == 0 || words[at + most - 1].mark == 0) &&
         one.Has(words[at + most]))
    ++most;
  // Longest run first: otherwise "just" of "really just like" would count as content.
  for (size_t taken = most + 1; taken-- > one.least;) {
    if (Matches(pattern, element + 1, words, at + taken, end, match)) {
      if (one.verb && taken > 0) match.verb = at;
      return true;
    }
  }
  return false;
}

}  // namespace memory
