// The word classes that patterns use ("@past"), and both tables as one. The classes are small lists
// of our own, not a dictionary.
#include "memory/extract/english/patterns.h"

#include <utility>
#include <vector>

#include "memory/extract/english/verbs.h"
#include "memory/extract/english/words_of_english.h"
#include "memory/extract/grammar/word_set.h"

namespace memory {
namespace {

bool IsAdverb(const Word& word) {
  static const WordSet set = SetOf(
      "really absolutely totally definitely just also still truly actually currently now mostly "
      "generally particularly especially personally recently finally already even only so very too "
      "kinda pretty both all simply honestly genuinely deeply quite much strongly secretly mainly "
      "soon then actively seriously officially basically probably certainly constantly slowly "
      "hugely super always usually often sometimes mainly lately again desperately slightly");
  return IsIn(set, word.folded);
}

bool IsFrequency(const Word& word) {
  static const WordSet set = SetOf(
      "always usually never typically normally generally often rarely "
      "mostly regularly");
  return IsIn(set, word.folded);
}

bool IsDeterminer(const Word& word) {
  static const WordSet set = SetOf("a an the my our some another his her their its");
  return IsIn(set, word.folded) || IsNumber(word);
}

// Excludes ordinary words, which have a capital at the beginning of a sentence.
bool IsName(const Word& word) {
  static const WordSet none = SetOf(
      "somebody someone everybody everyone everything nothing people life love music nature family "
      "friends running reading writing cooking dancing art time nobody anyone anything success "
      "change work practice kids dogs cats");
  return word.folded.empty() ||
         (word.capital && !IsIn(none, word.folded) && !IsEmptyWord(word.folded));
}

// Excludes verbs of facts, pronouns and conjunctions.
bool IsNounPart(const Word& word) {
  static const WordSet none = SetOf(
      "i we he she it they you is are was were am be 's will would can could should may might must "
      "has have had do does did and but because if when while that which who whose than as so then "
      "not to don't doesn't didn't can't won't isn't aren't wasn't what how why me him them us "
      "uses "
      "use runs run needs need requires lives works likes loves hates just really");
  return !IsIn(none, word.folded);
}

// A noun for "my … is". Excludes nouns whose sentences are remarks, not facts: "my guess is".
bool IsOwn(const Word& word) {
  static const WordSet none = SetOf(
      "question point guess concern problem code heart mind pleasure apologies understanding "
      "mistake bad fault issue thought thoughts worry fear feeling feelings opinion idea ideas god "
      "goodness week weekend dreams story plans mix picture pic photo photos look blast chance bit "
      "little lot tad huge big firm "
      "great such fan believer turn error test tests "
      "request advice suggestion biggest passion drive way");
  return IsNounPart(word) && !IsIn(none, word.folded);
}

bool IsSetting(const Word& word) {
  static const WordSet set = SetOf(
      "deadline release meeting port endpoint database branch repository repo api server cluster "
      "limit budget timezone hostname domain url region schema default timeout version username "
      "email address name codename retention backup launch demo standup");
  return IsIn(set, word.folded);
}

const std::vector<WordClass>& EnglishClasses() {
  static const std::vector<WordClass> classes = {
      {"adv", IsAdverb, 0, 3},  {"freq", IsFrequency, 1, 1},  {"det", IsDeterminer, 1, 1},
      {"do", IsGoalVerb, 1, 1}, {"ing", IsGerund, 1, 1},      {"past", IsPast, 1, 1},
      {"event", IsEvent, 1, 1}, {"part", IsParticiple, 1, 1}, {"habit", IsHabit, 1, 1},
      {"np", IsNounPart, 1, 5}, {"own", IsOwn, 1, 4},         {"name", IsName, 1, 3},
      {"num", IsNumber, 1, 2},  {"setting", IsSetting, 1, 1}, {"few", IsNounPart, 0, 3}};
  return classes;
}

}  // namespace

const Patterns& EnglishPatterns() {
  static const Patterns patterns = [] {
    std::vector<PatternRow> rows;
    for (const PatternRows& table : {EnglishWishes(), EnglishStatements()})
      rows.insert(rows.end(), table.rows, table.rows + table.count);
    return Patterns(std::move(rows), EnglishClasses());
  }();
  return patterns;
}

}  // namespace memory
