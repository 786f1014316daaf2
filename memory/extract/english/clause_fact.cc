// A pattern matches the beginning of a clause. The checks then refuse a clause whose fact would
// mean nothing without the conversation: "I love the color" of a picture, "I gave it to her". A
// wrong fact stays for months, a missed one can be said again: in doubt there is none.
#include "memory/extract/english/clause_fact.h"

#include <algorithm>
#include <string>

#include "lib/base/text/text.h"
#include "memory/extract/english/patterns.h"
#include "memory/extract/english/times.h"
#include "memory/extract/english/words_of_english.h"
#include "memory/extract/grammar/word_set.h"

namespace memory {
namespace {

// "loves the color" is a remark on something that was shown, unless "the" precedes something that
// everybody knows: "loves the ocean".
bool RemarksOnShown(const std::vector<Word>& words, size_t at, size_t end) {
  static const WordSet known = SetOf(
      "ocean beach mountains mountain outdoors sea city countryside snow rain sun winter summer "
      "woods "
      "forest water stage desert internet gym cold heat theater piano guitar violin drums");
  if (at < end && words[at].folded == "all") ++at;
  return at < end && words[at].folded == "the" &&
         !(at + 1 < end && IsIn(known, words[at + 1].folded));
}

// "the window seat on flights", "the aisle more", "the quiet in the morning" name a kind of thing,
// not one that was shown. A name after "the" is known, too.
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

// The verb itself replacement that the user chooses among several things: "I prefer the …".
bool Chooses(const std::vector<Word>& words, size_t begin, size_t end) {
  constexpr std::string_view kChoice[] = {
      "prefer",   "favor",  "favour",    "rather", "fan",   "fond",       "afraid",
      "allergic", "scared", "terrified", "keen",   "picky", "intolerant", "passionate"};
  for (size_t word = begin; word < end; ++word)
    if (base::IsOneOf(words[word].folded, kChoice)) return true;
  return false;
}

// Whether a pronoun or "there" refers to something outside the sentence: it occurs close to the
// verb, before another noun that it could refer to.
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
    // At any place, these refer to something that was shown or said before.
    if (folded == "these" || (folded == "this" && TimeAt(words, word, end) == 0)) return true;
  }
  constexpr std::string_view kLast[] = {"that", "those", "there", "here", "them"};
  return end > at && base::IsOneOf(words[end - 1].folded, kLast);
}

// "her style", without a name before it.
bool HasUnknownOwner(const std::vector<Word>& words, size_t begin, size_t end) {
  bool named = words[begin].folded != "i" && words[begin].folded != "we";
  for (size_t at = begin + 1; at < end; ++at) {
    const std::string& folded = words[at].folded;
    if (!named && (folded == "her" || folded == "his" || folded == "him")) return true;
    named |= words[at].capital || folded.empty() || folded == "my" || folded == "our" ||
             folded == "a" || folded == "the";
  }
  return false;
}

// Begins praise or a remark: "my family is my rock", "our team is so great", "a funny story".
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

bool Accepts(const Utterance& utterance, const Clause& clause, const PatternMatch& match) {
  constexpr std::string_view kUnclear[] = {
      "it",  "that", "this",       "them",     "these",     "those", "you", "your",
      "him", "how",  "what",       "when",     "where",     "why",   "who", "so",
      "too", "one",  "there",      "here",     "it'll",     "her",   "his", "their",
      "u",   "ya",   "everything", "anything", "something", "'s",    "if"};
  constexpr std::string_view kYou[] = {"you", "your", "yours", "yourself", "u", "ya", "you'd"};
  constexpr std::string_view kLightVerbs[] = {"had", "got", "did", "made"};
  const std::vector<Word>& words = utterance.words;
  const unsigned needs = match.row->needs;
  const bool user = utterance.speaker == Speaker::kUser;
  if (!user && (needs & kByAnySpeaker) == 0) return false;
  const bool figure = (needs & kFigure) != 0;
  if (match.rest < clause.end && !figure && (needs & kMayAddress) == 0 &&
      base::IsOneOf(words[match.rest].folded, kUnclear))
    return false;
  const FactCategory category = match.row->category;
  if (category != FactCategory::kCorrection && (needs & kMayAddress) == 0 &&
      (PointsOutside(words, match.rest, clause.end) ||
       HasUnknownOwner(words, clause.begin, clause.end)))
    return false;
  if (category == FactCategory::kUserPreference && words[clause.begin].folded == "i" &&
      RemarksOnShown(words, match.rest, clause.end) && !Chooses(words, clause.begin, match.rest) &&
      !NamesKind(words, match.rest, clause.end))
    return false;
  if ((needs & kNoPraise) != 0 && match.rest < clause.end && IsPraise(words[match.rest].folded))
    return false;
  // The verb of an aim follows "to" inside the pattern, and counts as one of two words of content.
  const bool verb_counts = match.rest > match.verb + 1 && (needs & kTwoWords) != 0;
  const bool light = match.rest > 0 && base::IsOneOf(words[match.rest - 1].folded, kLightVerbs);
  const size_t wanted = (needs & kTwoWords) != 0 && (!verb_counts || light) ? 2 : 1;
  if (light && match.rest < clause.end && words[match.rest].folded == "to")
    return false;  // "had to"
  size_t content = 0;
  size_t timed = 0;  // the end of the last words of a time
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
  if ((needs & kPastTime) != 0 && !HasPastTime(words, clause.prefix, clause.end)) return false;
  return (needs & kFutureTime) == 0 || HasFutureTime(words, clause.prefix, clause.end);
}

// The text of the words from `at` on, in lower case if it may continue a sentence.
std::string Uncapitalised(const Utterance& utterance, size_t at, std::string text) {
  const bool common = at < utterance.words.size() && IsEmptyWord(utterance.words[at].folded);
  if (common && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

// The first word that names the speaker.
size_t SubjectOf(const Utterance& utterance, size_t begin, size_t end) {
  constexpr std::string_view kSpeaker[] = {"i", "my", "we", "our"};
  while (begin < end && !base::IsOneOf(utterance.words[begin].folded, kSpeaker)) ++begin;
  return begin < end ? begin : utterance.words.size();
}

// The beginning of a correction's content: its subject if it has one ("the port is 80" in "Actually
// the port is 80"), not the words after the pattern.
size_t RestOf(const Utterance& utterance, const Clause& clause, const PatternMatch& match) {
  constexpr std::string_view kSubject[] = {"the", "my", "our", "i", "we", "it"};
  for (size_t at = clause.begin; at < match.rest; ++at) {
    const size_t next = at + 1;
    if (next < clause.end && utterance.words[next].folded.starts_with("mean")) break;
    if (base::IsOneOf(utterance.words[at].folded, kSubject)) return at;
  }
  return match.rest;
}

bool WordFact(const Utterance& utterance, const Clause& clause, const PatternMatch& match,
              FactCandidate& fact) {
  constexpr std::string_view kLoose[] = {"and", "or",   "but",     "so",     "the", "a",
                                         "an",  "of",   "because", "though", "too", "then",
                                         "lol", "haha", "right",   "also",   "btw", "speaking"};
  constexpr std::string_view kHedges[] = {"maybe", "perhaps", "might", "probably", "guess"};
  const std::vector<Word>& words = utterance.words;
  size_t end = clause.end;
  while (end > match.rest && base::IsOneOf(words[end - 1].folded, kLoose)) --end;
  if (end <= match.rest && (match.row->needs & kMayEnd) == 0) return false;
  const std::string& first = words[clause.begin].folded;
  std::string text;
  if (match.row->replacement) {
    const size_t rest = RestOf(utterance, clause, match);
    text = match.row->replacement +
           Uncapitalised(utterance, rest,
                         InThirdPerson(utterance, rest, end, words.size(), words.size()));
  } else if (first == "always" || first == "never") {
    text = "User wants the assistant to " +
           Uncapitalised(utterance, clause.begin,
                         InThirdPerson(utterance, clause.begin, end, words.size(), words.size()));
  } else {
    // "My wife and I": the first of the subjects gets the name.
    const bool shared = clause.prefix < clause.begin && words[clause.begin - 1].folded == "and";
    const size_t subject = SubjectOf(utterance, shared ? clause.prefix : clause.begin, end);
    const bool conjugated = subject == clause.begin && match.verb > subject;
    text = InThirdPerson(utterance, clause.prefix, end, subject,
                         conjugated ? match.verb : words.size());
  }
  text = base::CollapseWhitespace(text);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  fact.content = base::Ellipsize(text, kMaxFactCharacters);
  if (!fact.content.ends_with("…"))
    fact.content = base::Ellipsize(text, kMaxFactCharacters - 1) + ".";
  fact.category = match.row->category;
  fact.said_by = utterance.speaker;
  fact.importance = match.row->importance;
  const bool dated =
      HasPastTime(words, clause.prefix, end) || HasFutureTime(words, clause.prefix, end);
  if (dated) fact.importance += .05;
  if (utterance.speaker == Speaker::kAssistant) fact.importance -= .1;
  for (size_t at = clause.begin; at < end; ++at) {
    if (base::IsOneOf(words[at].folded, kHedges)) fact.importance -= .15;
  }
  fact.importance = std::clamp(fact.importance, 0.0, 1.0);
  return true;
}

}  // namespace

bool ReadClause(const Utterance& utterance, const Clause& clause, FactCandidate& fact) {
  return EnglishPatterns().Find(
      utterance.words, clause.begin, clause.end, [&](const PatternMatch& match) {
        return Accepts(utterance, clause, match) && WordFact(utterance, clause, match, fact);
      });
}

}  // namespace memory
