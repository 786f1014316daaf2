// Recognizes fixed forms of a few words each.
#include "memory/extract/english/times.h"

#include <string>

#include "memory/extract/english/words_of_english.h"
#include "memory/extract/grammar/word_set.h"

namespace memory {
namespace {

const WordSet& Units() {
  static const WordSet set =
      SetOf("minute minutes hour hours day days week weeks month months year years");
  return set;
}

// Words that follow "last", "next" and "this".
const WordSet& Periods() {
  static const WordSet set = SetOf(
      "day week weekend month year night morning afternoon evening summer winter spring fall "
      "autumn "
      "season semester quarter sprint time monday tuesday wednesday thursday friday saturday "
      "sunday "
      "mon tue tues wed thu thurs fri sat sun january february march april may june july august "
      "september october november december christmas thanksgiving easter halloween");
  return set;
}

// Words that follow "since" when it means a time.
const WordSet& Origins() {
  static const WordSet set = SetOf("last childhood college university school birth yesterday then");
  return set;
}

// "just bought", not "just for fun" or "just a bit".
bool JustNow(const std::vector<Word>& words, size_t at, size_t end) {
  static const WordSet other = SetOf("for like a an the to about as because in of how what so not");
  return words[at].folded == "just" && at + 1 < end && !IsIn(other, words[at + 1].folded);
}

}  // namespace

size_t TimeAt(const std::vector<Word>& words, size_t at, size_t end) {
  if (at >= end) return 0;
  const std::string& word = words[at].folded;
  const auto is = [&](size_t ahead, const WordSet& set) {
    return at + ahead < end && IsIn(set, words[at + ahead].folded);
  };
  const auto number = [&](size_t ahead) { return at + ahead < end && IsNumber(words[at + ahead]); };
  static const WordSet single = SetOf("yesterday today tomorrow tonight recently earlier lately");
  if (IsIn(single, word)) return 1;
  if ((word == "last" || word == "next" || word == "this" || word == "on" || word == "in" ||
       word == "by") &&
      is(1, Periods()))
    return 2;
  if (word == "the" && at + 2 < end && words[at + 1].folded == "other" && is(2, Periods()))
    return 3;
  const bool digits = at + 1 < end && !words[at + 1].folded.empty() &&
                      words[at + 1].folded[0] >= '0' && words[at + 1].folded[0] <= '9';
  if ((word == "in" || word == "since") && digits && words[at + 1].folded.size() == 4) return 2;
  if (word == "since" && (is(1, Periods()) || is(1, Origins()))) return 2;
  // "two weeks ago", "a few weeks ago", "in two weeks", "for ten years"
  const size_t in = word == "in" || word == "for" ? 1 : 0;
  for (size_t count = 1; count <= 3; ++count) {
    const bool counted = number(in) || (at + in < end && words[at + in].folded == "a");
    if (!counted || !is(in + count, Units())) continue;
    const size_t after = in + count + 1;
    if (in == 1) return after;
    if (at + after < end &&
        (words[at + after].folded == "ago" || words[at + after].folded == "back"))
      return after + 1;
  }
  return 0;
}

bool HasPastTime(const std::vector<Word>& words, size_t begin, size_t end) {
  static const WordSet single = SetOf("yesterday finally recently ago earlier already");
  for (size_t at = begin; at < end; ++at) {
    if (IsIn(single, words[at].folded) || JustNow(words, at, end)) return true;
    const std::string& word = words[at].folded;
    if (TimeAt(words, at, end) > 0 && word != "tomorrow" && word != "next" && word != "tonight")
      return true;
  }
  return false;
}

bool HasFutureTime(const std::vector<Word>& words, size_t begin, size_t end) {
  for (size_t at = begin; at < end; ++at) {
    const std::string& word = words[at].folded;
    if (word == "soon") return true;
    if (TimeAt(words, at, end) > 0 && word != "yesterday" && word != "last" && word != "recently" &&
        word != "earlier" && word != "lately" &&
        words[at + TimeAt(words, at, end) - 1].folded != "ago")
      return true;
  }
  return false;
}

}  // namespace memory
