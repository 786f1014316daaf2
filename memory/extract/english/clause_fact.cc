// Checks of what patterns cannot see, and the wording.
#include "memory/extract/english/clause_fact.h"

#include <algorithm>
#include <string>

#include "lib/base/text/text.h"
#include "memory/extract/english/clause_checks.h"
#include "memory/extract/english/patterns.h"
#include "memory/extract/english/times.h"
#include "memory/extract/english/words_of_english.h"

namespace memory {
namespace {

// The text of the words from `at` on, for the middle of a sentence.
std::string Uncapitalised(const Told& told, size_t at, std::string text) {
  const bool common = at < told.words.size() && IsEmptyWord(told.words[at].folded);
  if (common && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

// The first word that names the speaker.
size_t SubjectOf(const Told& told, size_t begin, size_t end) {
  constexpr std::string_view kSpeaker[] = {"i", "my", "we", "our"};
  while (begin < end && !base::IsOneOf(told.words[begin].folded, kSpeaker)) ++begin;
  return begin < end ? begin : told.words.size();
}

// "Actually the port is 80": what is told begins at the subject, not behind "is".
size_t RestOf(const Told& told, const Clause& clause, const PatternMatch& match) {
  constexpr std::string_view kSubject[] = {"the", "my", "our", "i", "we", "it"};
  for (size_t at = clause.begin; at < match.rest; ++at) {
    const size_t next = at + 1;
    if (next < clause.end && told.words[next].folded.starts_with("mean")) break;
    if (base::IsOneOf(told.words[at].folded, kSubject)) return at;
  }
  return match.rest;
}

bool Tell(const Told& told, const Clause& clause, const PatternMatch& match, FactCandidate& fact) {
  constexpr std::string_view kLoose[] = {"and", "or",   "but",     "so",     "the", "a",
                                         "an",  "of",   "because", "though", "too", "then",
                                         "lol", "haha", "right",   "also",   "btw", "speaking"};
  constexpr std::string_view kHedges[] = {"maybe", "perhaps", "might", "probably", "guess"};
  const std::vector<Word>& words = told.words;
  size_t end = clause.end;
  while (end > match.rest && base::IsOneOf(words[end - 1].folded, kLoose)) --end;
  if (end <= match.rest && (match.row->needs & kMayEnd) == 0) return false;
  const std::string& first = words[clause.begin].folded;
  std::string text;
  if (match.row->says) {
    const size_t rest = RestOf(told, clause, match);
    text = match.row->says +
           Uncapitalised(told, rest, TellOf(told, rest, end, words.size(), words.size()));
  } else if (first == "always" || first == "never") {
    text = "User wants the assistant to " +
           Uncapitalised(told, clause.begin,
                         TellOf(told, clause.begin, end, words.size(), words.size()));
  } else {
    // "My wife and I": the name goes to the first of them.
    const bool shared = clause.prefix < clause.begin && words[clause.begin - 1].folded == "and";
    const size_t subject = SubjectOf(told, shared ? clause.prefix : clause.begin, end);
    const bool conjugated = subject == clause.begin && match.verb > subject;
    text = TellOf(told, clause.prefix, end, subject, conjugated ? match.verb : words.size());
  }
  text = base::CollapseWhitespace(text);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  fact.content = base::Ellipsize(text, kMaxFactCharacters);
  if (!fact.content.ends_with("…"))
    fact.content = base::Ellipsize(text, kMaxFactCharacters - 1) + ".";
  fact.category = match.row->category;
  fact.said_by = told.speaker;
  fact.importance = match.row->importance;
  const bool dated = TellsPast(words, clause.prefix, end) || TellsFuture(words, clause.prefix, end);
  if (dated) fact.importance += .05;
  if (told.speaker == Speaker::kAssistant) fact.importance -= .1;
  for (size_t at = clause.begin; at < end; ++at) {
    if (base::IsOneOf(words[at].folded, kHedges)) fact.importance -= .15;
  }
  fact.importance = std::clamp(fact.importance, 0.0, 1.0);
  return true;
}

}  // namespace

bool ReadClause(const Told& told, const Clause& clause, FactCandidate& fact) {
  return EnglishPatterns().Find(
      told.words, clause.begin, clause.end, [&](const PatternMatch& match) {
        return Accepts(told, clause, match) && Tell(told, clause, match, fact);
      });
}

}  // namespace memory
