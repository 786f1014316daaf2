// Splits a sentence into clauses; each clause is matched, checked and utterance in the third
// person.
#include "memory/extract/english/english.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/base/text/text.h"
#include "memory/extract/english/clause_fact.h"
#include "memory/extract/english/clauses.h"
#include "memory/extract/english/verbs.h"
#include "memory/extract/prose/words.h"

namespace memory {
namespace {

using Words = std::vector<Word>;

// "No.", "That's wrong", "Not quite": the next sentence is the correction.
bool Denies(const Words& words) {
  constexpr std::string_view kDenials[] = {"no", "nope", "wrong", "incorrect", "not"};
  if (words.size() > 5) return false;
  return std::any_of(words.begin(), words.end(),
                     [&](const Word& word) { return base::IsOneOf(word.folded, kDenials); });
}

// Reads the clause as if it began with "No,".
bool ReadCorrection(const Sentence& sentence, Words words, size_t begin, FactCandidate& fact) {
  Word no;
  no.folded = "no";
  no.begin = no.end = words[begin].begin;
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(begin), no);
  const Clause clause{begin, begin, EndOfClause(words, std::min(begin + 2, words.size() - 1))};
  return ReadClause({sentence.text, words, Speaker::kUser}, clause, fact) &&
         fact.category == FactCategory::kCorrection;
}

// "Just got a new job", "Been painting for years", and for the assistant "Fixed the login test".
bool LeavesOutSubject(const Words& words, size_t at, Speaker speaker) {
  constexpr std::string_view kFirst[] = {
      "just",    "finally", "recently", "been",     "had",   "got",     "went",  "took",   "gonna",
      "started", "joined",  "bought",   "finished", "moved", "adopted", "spent", "visited"};
  constexpr std::string_view kArticles[] = {"the", "a", "an", "your", "two", "three"};
  if (at + 1 >= words.size() || words[at].mark != 0) return false;
  if (speaker == Speaker::kUser) return base::IsOneOf(words[at].folded, kFirst);
  const Word& next = words[at + 1];
  return (IsPast(words[at]) || IsEvent(words[at])) &&
         (next.folded.empty() || base::IsOneOf(next.folded, kArticles));
}

// Reads the clause as if it began with "I" ("I have" before "been").
bool ReadWithSubject(const Utterance& utterance, Clause clause, FactCandidate& fact) {
  if (!LeavesOutSubject(utterance.words, clause.begin, utterance.speaker)) return false;
  const bool been = utterance.words[clause.begin].folded == "been";
  if (been && (clause.begin + 1 >= clause.end || !IsGerund(utterance.words[clause.begin + 1])))
    return false;  // "Been a busy week"
  Words words = utterance.words;
  const auto insert = [&](size_t at, const char* folded) {
    Word word;
    word.folded = folded;
    word.begin = word.end = words[at].begin;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), word);
    ++clause.end;
  };
  insert(clause.begin, "i");
  if (been)
    insert(clause.begin + 1, "have");
  else if (words[clause.begin + 1].folded == "gonna")
    insert(clause.begin + 1, "am");
  return ReadClause({utterance.sentence, words, utterance.speaker}, clause, fact);
}

}  // namespace

void EnglishReader::Read(const Sentence& sentence, std::vector<FactCandidate>& facts) {
  const Words words = WordsOf(sentence.text);
  if (speaker_ == Speaker::kUser && AsksForWorkOnText(sentence, words)) pasted_ = true;
  const bool corrects = std::exchange(corrects_, false);
  if (pasted_ || sentence.asks || sentence.quoted || words.empty() || StatesNothing(words)) return;
  FactCandidate fact;
  const Utterance utterance{sentence.text, words, speaker_};
  // "No, it is …": the opening makes it a correction, so it is not skipped here.
  const size_t first = AfterOpenings(words, 0, words.size());
  for (size_t at = 0; at <= std::min(first, words.size() - 1); ++at) {
    const Clause clause{at, at, EndOfClause(words, std::min(at + 2, words.size() - 1))};
    if (ReadClause(utterance, clause, fact) && fact.category == FactCategory::kCorrection) {
      facts.push_back(std::move(fact));
      return;
    }
  }
  corrects_ = Denies(words);
  for (const Clause& clause : ClausesOf(words)) {
    if (corrects && ReadCorrection(sentence, words, clause.begin, fact))
      facts.push_back(std::move(fact));
    else if (ReadClause(utterance, clause, fact) || ReadWithSubject(utterance, clause, fact))
      facts.push_back(std::move(fact));
  }
}

}  // namespace memory
