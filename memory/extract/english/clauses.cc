// Splits at marks, and at conjunctions before a subject, without a parse: linear time, and no model
// of grammar. A missed border only makes a clause longer.
#include "memory/extract/english/clauses.h"

#include <algorithm>
#include <string>

#include "lib/base/text/text.h"
#include "memory/extract/english/times.h"
#include "memory/extract/english/verbs.h"
#include "memory/extract/english/words_of_english.h"

namespace memory {
namespace {

using Words = std::vector<Word>;

bool Is(const Words& words, size_t at, std::string_view folded) {
  return at < words.size() && words[at].folded == folded;
}

bool SubjectAt(const Words& words, size_t at) {
  return at < words.size() && IsSubject(words[at].folded);
}

// Whether a new clause begins at `at`: after a mark, or at a conjunction before a subject.
bool BeginsClause(const Words& words, size_t at) {
  const char mark = words[at - 1].mark;
  if (mark == ';' || mark == '-' || mark == '(' || mark == ')') return true;
  const bool joins = Is(words, at, "and") || Is(words, at, "but") || Is(words, at, "so");
  if (mark == ',') {
    const bool therefore = Is(words, at, "so") && !Is(words, at + 1, "that");
    return SubjectAt(words, at) || Is(words, at, "but") || (joins && SubjectAt(words, at + 1)) ||
           Is(words, at, "though") || therefore;
  }
  return joins && SubjectAt(words, at + 1) && !Is(words, at + 1, "that");
}

bool Supposes(const Words& words, size_t begin) {
  constexpr std::string_view kFirst[] = {"if",     "unless",   "suppose", "supposing", "imagine",
                                         "assume", "assuming", "pretend", "say",       "whether",
                                         "would",  "could",    "should",  "let's",     "wish"};
  if (begin >= words.size()) return false;
  if (base::IsOneOf(words[begin].folded, kFirst)) return true;
  // "what if", "for example", "for instance", "as if", "even if", "only if"
  if (begin + 1 >= words.size()) return false;
  const std::string& second = words[begin + 1].folded;
  return second == "if" ||
         (words[begin].folded == "for" && (second == "example" || second == "instance"));
}

bool AsksWithoutMark(const Words& words, size_t begin) {
  constexpr std::string_view kAsking[] = {"how",   "what", "why", "where", "who",   "which", "can",
                                          "do",    "does", "did", "is",    "are",   "was",   "were",
                                          "shall", "may",  "am",  "has",   "whose", "whats"};
  return begin < words.size() && base::IsOneOf(words[begin].folded, kAsking);
}

bool IsCircumstance(const Words& words, size_t at) {
  constexpr std::string_view kFirst[] = {
      "when", "whenever", "since",  "because", "as", "after", "before", "while", "although",
      "once", "until",    "during", "for",     "in", "at",    "on",     "by"};
  return at < words.size() && base::IsOneOf(words[at].folded, kFirst);
}

// "By the way", "on another note", "to be honest", "speaking of which".
bool IsAside(const Words& words, size_t begin, size_t end) {
  constexpr std::string_view kLast[] = {"way",  "note",  "news", "case",    "point",  "honest",
                                        "fact", "which", "that", "general", "course", "me"};
  return end > begin + 1 && end - begin <= 4 && base::IsOneOf(words[end - 1].folded, kLast);
}

// "My wife and I": the words from `begin` to `end` share the subject that follows.
bool SharesSubject(const Words& words, size_t begin, size_t end) {
  if (begin >= end || end - begin > 3 || !Is(words, end, "and") || !Is(words, end + 1, "i"))
    return false;
  if (words[begin].folded != "my" && !words[begin].capital) return false;
  return std::none_of(words.begin() + static_cast<std::ptrdiff_t>(begin),
                      words.begin() + static_cast<std::ptrdiff_t>(end), [](const Word& word) {
                        return IsPast(word) || IsEvent(word) || word.folded == "is" ||
                               word.folded == "'s" || word.folded == "i" || word.mark != 0;
                      });
}

}  // namespace

std::vector<Clause> ClausesOf(const Words& words) {
  std::vector<Clause> clauses;
  size_t begin = 0, prefix = words.size();
  for (size_t at = 1; at <= words.size(); ++at) {
    if (at < words.size() && !BeginsClause(words, at)) continue;
    size_t first = AfterOpenings(words, begin, at);
    const size_t opened = first;
    for (size_t time = TimeAt(words, first, at); time > 0; time = TimeAt(words, first, at))
      first += time;
    // "Last week, I went": the time is the prefix of the clause with the next subject.
    const bool no_clause = first >= at || (first == opened && IsCircumstance(words, opened)) ||
                           SharesSubject(words, first, at);
    if (prefix == words.size()) prefix = opened;
    if (IsAside(words, opened, at)) {
      prefix = words.size(), begin = at;
      continue;
    }
    if (no_clause) {
      if (first >= at && opened >= at) prefix = words.size();
    } else {
      clauses.push_back({std::min(prefix, first), first, at});
      prefix = words.size();
    }
    begin = at;
  }
  return clauses;
}

size_t AfterOpenings(const Words& words, size_t begin, size_t end) {
  size_t at = begin;
  while (at < end) {
    const bool vocative = words[at].capital && words[at].mark == ',' && at + 1 < end &&
                          !SubjectAt(words, at) && TimeAt(words, at, end) == 0;
    const bool named = at > begin && words[at].capital && SubjectAt(words, at + 1) &&
                       !SubjectAt(words, at) && IsOpening(words[at - 1].folded);
    if (!IsOpening(words[at].folded) && !vocative && !named) break;
    ++at;
  }
  return at;
}

bool AsksForWorkOnText(const Sentence& sentence, const Words& words) {
  constexpr std::string_view kTasks[] = {
      "translate", "summarize", "summarise", "rewrite",  "proofread", "paraphrase", "correct",
      "classify",  "explain",   "review",    "analyze",  "analyse",   "improve",    "edit",
      "write",     "fix",       "check",     "complete", "continue",  "rephrase",   "draft",
      "here",      "please",    "can",       "could",    "convert",   "extract",    "answer"};
  if (words.empty() || !base::IsOneOf(words[0].folded, kTasks)) return false;
  if (sentence.text.ends_with(':')) return true;
  // "please note: …" is no task, and a later colon belongs to something else.
  for (size_t at = 1; at < std::min<size_t>(words.size(), 12); ++at) {
    if (words[at].mark == ':') return !Is(words, 1, "note") && !Is(words, 1, "remember");
  }
  return false;
}

size_t EndOfClause(const Words& words, size_t begin) {
  size_t at = begin + 1;
  while (at < words.size() && !BeginsClause(words, at)) ++at;
  return std::min(at, words.size());
}

bool StatesNothing(const Words& words) {
  const size_t first = AfterOpenings(words, 0, words.size());
  return Supposes(words, 0) || Supposes(words, first) || AsksWithoutMark(words, first);
}

}  // namespace memory
