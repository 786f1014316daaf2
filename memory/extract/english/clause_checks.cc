// Checks by the words near what was matched.
#include "memory/extract/english/clause_checks.h"

#include <algorithm>
#include <string>

#include "lib/base/text/text.h"
#include "memory/extract/english/times.h"
#include "memory/extract/english/words_of_english.h"
#include "memory/extract/grammar/word_set.h"

namespace memory {
namespace {

// "loves the color": a remark on what is shown, unless it is one that everybody knows.
bool RemarksOnShown(const std::vector<Word>& words, size_t at, size_t end) {
  static const WordSet known = SetOf(
      "ocean beach mountains mountain outdoors sea city countryside snow rain sun winter summer "
      "woods "
      "forest water stage desert internet gym cold heat theater piano guitar violin drums");
  if (at < end && words[at].folded == "all") ++at;
  return at < end && words[at].folded == "the" &&
         !(at + 1 < end && IsIn(known, words[at + 1].folded));
}

// "the window seat on flights", "the aisle more", "the quiet in the morning": a kind of thing, not
// one that is shown. Names behind "the" are known, too.
bool NamesKind(const std::vector<Word>& words, size_t at, size_t end) {
  constexpr std::string_view kPlaces[] = {"on",     "in",    "at",     "for",   "during",
                                          "before", "after", "within", "while", "when"};
  constexpr std::string_view kShown[] = {"a",  "an",  "the",  "this", "that", "these", "those",
                                         "my", "our", "your", "his",  "her",  "its",   "their",
                                         "it", "him", "them", "you",  "me",   "us",    "here"};
  constexpr std::string_view kSpans[] = {"morning",   "mornings", "evening", "evenings",
                                         "afternoon", "night",    "winter",  "summer",
                                         "autumn",    "spring",   "office",  "dark"};
  constexpr std::string_view kMost[] = {"best", "most", "more", "better", "least"};
  if (at < end && words[at].folded == "all") ++at;
  if (at + 1 < end && words[at + 1].capital) return true;
  for (size_t word = at + 2; word < end; ++word) {
    const std::string& folded = words[word].folded;
    if (folded == "over" || (word + 1 == end && base::IsOneOf(folded, kMost))) return true;
    if (word + 1 >= end || !base::IsOneOf(folded, kPlaces)) continue;
    const std::string& next = words[word + 1].folded;
    if (!base::IsOneOf(next, kShown)) return true;
    if (next == "the" && word + 2 < end && base::IsOneOf(words[word + 2].folded, kSpans))
      return true;
  }
  return false;
}

// "I prefer the": the verb itself says that the user chooses among several.
bool Chooses(const std::vector<Word>& words, size_t begin, size_t end) {
  constexpr std::string_view kChoice[] = {
      "prefer",   "favor",  "favour",    "rather", "fan",   "fond",       "afraid",
      "allergic", "scared", "terrified", "keen",   "picky", "intolerant", "passionate"};
  for (size_t word = begin; word < end; ++word)
    if (base::IsOneOf(words[word].folded, kChoice)) return true;
  return false;
}

// Whether a pronoun or "there" stands for something outside the sentence: near what is wanted or
// done, before any other noun could be meant.
bool PointsOutside(const std::vector<Word>& words, size_t at, size_t end) {
  constexpr std::string_view kOutside[] = {"it",    "this",    "that",      "them",    "these",
                                           "those", "him",     "her",       "there",   "here",
                                           "one",   "another", "something", "someone", "somebody"};
  const size_t near = std::min(end, at + 4);
  for (size_t word = at; word < end; ++word) {
    const std::string& folded = words[word].folded;
    const bool before_noun = word + 1 < end && words[word].mark == 0 &&
                             (folded == "her" || folded == "one" || folded == "another") &&
                             !IsEmptyWord(words[word + 1].folded);
    if (word < near && base::IsOneOf(folded, kOutside) && !before_noun &&
        TimeAt(words, word, end) == 0)
      return true;
    // Wherever they stand, these name something that was shown or said before.
    if (folded == "these" || (folded == "this" && TimeAt(words, word, end) == 0)) return true;
  }
  constexpr std::string_view kLast[] = {"that", "those", "there", "here", "them"};
  return end > at && base::IsOneOf(words[end - 1].folded, kLast);
}

// "her style", when nobody was named before.
bool NamesNobody(const std::vector<Word>& words, size_t begin, size_t end) {
  bool named = words[begin].folded != "i" && words[begin].folded != "we";
  for (size_t at = begin + 1; at < end; ++at) {
    const std::string& folded = words[at].folded;
    if (!named && (folded == "her" || folded == "his" || folded == "him")) return true;
    named |= words[at].capital || folded.empty() || folded == "my" || folded == "our" ||
             folded == "a" || folded == "the";
  }
  return false;
}

// "my family is my rock", "our team is so great", "a funny story": praise and remarks, not facts.
bool IsPraise(std::string_view first) {
  static const WordSet set = SetOf(
      "my our pretty so such really all always like just very definitely awesome great amazing "
      "best "
      "worst everything important super too totally truly also still gonna going awesome "
      "incredible "
      "not what why how as getting paying coming comin' doing ok okay alright well good fine story "
      "plan plans picture pic photo idea question");
  return IsIn(set, first);
}

}  // namespace

bool Accepts(const Told& told, const Clause& clause, const PatternMatch& match) {
  constexpr std::string_view kUnclear[] = {
      "it",  "that", "this",       "them",     "these",     "those", "you", "your",
      "him", "how",  "what",       "when",     "where",     "why",   "who", "so",
      "too", "one",  "there",      "here",     "it'll",     "her",   "his", "their",
      "u",   "ya",   "everything", "anything", "something", "'s",    "if"};
  constexpr std::string_view kYou[] = {"you", "your", "yours", "yourself", "u", "ya", "you'd"};
  constexpr std::string_view kLightVerbs[] = {"had", "got", "did", "made"};
  const std::vector<Word>& words = told.words;
  const unsigned needs = match.row->needs;
  const bool user = told.speaker == Speaker::kUser;
  if (!user && (needs & kBySpeakers) == 0) return false;
  const bool figure = (needs & kFigure) != 0;
  if (match.rest < clause.end && !figure && (needs & kMayAddress) == 0 &&
      base::IsOneOf(words[match.rest].folded, kUnclear))
    return false;
  const FactCategory category = match.row->category;
  if (category != FactCategory::kCorrection && (needs & kMayAddress) == 0 &&
      (PointsOutside(words, match.rest, clause.end) ||
       NamesNobody(words, clause.begin, clause.end)))
    return false;
  if (category == FactCategory::kUserPreference && words[clause.begin].folded == "i" &&
      RemarksOnShown(words, match.rest, clause.end) && !Chooses(words, clause.begin, match.rest) &&
      !NamesKind(words, match.rest, clause.end))
    return false;
  if ((needs & kNoPraise) != 0 && match.rest < clause.end && IsPraise(words[match.rest].folded))
    return false;
  // The verb of an aim is behind "to", within the pattern.
  const bool verb_counts = match.rest > match.verb + 1 && (needs & kTwoWords) != 0;
  const bool light = match.rest > 0 && base::IsOneOf(words[match.rest - 1].folded, kLightVerbs);
  const size_t wanted = (needs & kTwoWords) != 0 && (!verb_counts || light) ? 2 : 1;
  if (light && match.rest < clause.end && words[match.rest].folded == "to")
    return false;  // "had to"
  size_t content = 0;
  size_t timed = 0;  // behind the last words of a time
  bool figures = false;
  for (size_t at = clause.begin; at < clause.end; ++at) {
    const Word& word = words[at];
    if (user && (needs & kMayAddress) == 0 && base::IsOneOf(word.folded, kYou)) return false;
    if (word.folded == "sure" && at > 0 && words[at - 1].folded == "make") return false;
    if (at < match.rest) continue;
    if (const size_t time = TimeAt(words, at, clause.end); time > 0) timed = at + time;
    const bool time_counts = (needs & kTwoWords) == 0 || category == FactCategory::kCorrection;
    content += (time_counts || at >= timed) &&
               (word.folded.empty() || word.capital || !IsEmptyWord(word.folded));
    figures |= word.folded.empty() || word.capital || word.folded == "not" ||
               word.folded == "instead" || (word.folded[0] >= '0' && word.folded[0] <= '9');
  }
  if (content < wanted && (needs & kMayEnd) == 0) return false;
  if (figure && !figures) return false;
  if ((needs & kPastTime) != 0 && !TellsPast(words, clause.prefix, clause.end)) return false;
  return (needs & kFutureTime) == 0 || TellsFuture(words, clause.prefix, clause.end);
}

}  // namespace memory
