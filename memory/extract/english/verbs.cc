// A list of exceptions beside each ending.
#include "memory/extract/english/verbs.h"

#include "memory/extract/grammar/word_set.h"

namespace memory {
namespace {

const WordSet& StativePasts() {
  static const WordSet set = SetOf(
      "wanted needed liked loved hoped wished guessed agreed noticed realized realised wondered "
      "asked enjoyed mentioned decided learned learnt seemed used missed looked called knew said "
      "told heard understood thought felt forgot needed meant assumed figured believed "
      "expected "
      "supposed tried bed red need feed speed indeed seed kept managed");
  return set;
}

bool IsIrregularPast(std::string_view word) {
  static const WordSet set = SetOf(
      "went took saw made had got found met bought brought came gave ran wrote ate drank drove "
      "flew "
      "broke built caught chose cut did drew fell fought grew held hurt led left lost paid put "
      "quit "
      "rode sang sat sent shot slept spent spoke stole swam taught threw woke won wore began "
      "became "
      "sold tore set hit beat read");
  return IsIn(set, word);
}

}  // namespace

// Excludes verbs of asking, saying and seeing, and articles and prepositions after "to".
bool IsGoalVerb(const Word& word) {
  static const WordSet none = SetOf(
      "know ask say see hear tell thank understand check be mention add apologize point talk chat "
      "catch give show discuss hang share clarify confirm remind let think believe admit note "
      "emphasize stress wait wish guess congratulate look listen stop a an the my our your his her "
      "their its it that this some any no more less him them you me us in on at for with from to "
      "of not and or but good bad one two help keep do come get stay try");
  const std::string& verb = word.folded;
  return verb.size() > 1 && verb[0] >= 'a' && verb[0] <= 'z' && !verb.ends_with("ing") &&
         !verb.ends_with("ed") && !verb.ends_with("ly") && !IsIn(none, verb);
}

bool IsGerund(const Word& word) {
  static const WordSet none = SetOf(
      "thing something anything nothing everything morning evening "
      "hearing seeing saying asking telling wondering thinking feeling wanting keeping getting "
      "going having being enjoying hoping meaning");
  return word.folded.size() > 4 && word.folded.ends_with("ing") && !IsIn(none, word.folded);
}

// Verbs of events that matter at any time.
bool IsEvent(const Word& word) {
  static const WordSet set = SetOf(
      "died moved adopted married bought joined quit graduated started launched won lost visited "
      "attended "
      "traveled travelled signed passed broke published opened sold completed enrolled retired "
      "hired "
      "volunteered organized organised hosted performed began finished deployed released migrated "
      "upgraded fixed merged installed switched refactored implemented configured founded resigned "
      "applied registered booked submitted built");
  return IsIn(set, word.folded);
}

bool IsPast(const Word& word) {
  const std::string& verb = word.folded;
  if (IsIn(StativePasts(), verb)) return false;
  return (verb.size() > 3 && verb.ends_with("ed")) || IsIrregularPast(verb);
}

// Participles of events whose result lasts.
bool IsParticiple(const Word& word) {
  static const WordSet set = SetOf(
      "begun broken become written developed acquired passed failed reached earned received "
      "learned "
      "ordered designed recorded");
  return IsEvent(word) || IsIn(set, word.folded);
}

bool IsHabit(const Word& word) {
  static const WordSet none = SetOf(
      "have had been be got get thought knew am is are was were feel find know think believe "
      "wonder forget mean say see hear knew felt heard saw");
  const std::string& verb = word.folded;
  return verb.size() > 1 && verb[0] >= 'a' && verb[0] <= 'z' && !verb.ends_with("ing") &&
         !verb.ends_with("ed") && !verb.ends_with("ly") && !IsIn(none, verb) &&
         !IsIrregularPast(verb);
}

}  // namespace memory
