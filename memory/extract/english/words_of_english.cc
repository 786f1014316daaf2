// The lists.
#include "memory/extract/english/words_of_english.h"

#include "memory/extract/grammar/word_set.h"

namespace memory {
namespace {

const WordSet& Subjects() {
  static const WordSet set =
      SetOf("i we he she it they you this that there these those who what which my our he's");
  return set;
}

const WordSet& Numbers() {
  static const WordSet set = SetOf(
      "one two three four five six seven eight nine ten eleven twelve twenty thirty several few "
      "couple many");
  return set;
}

}  // namespace

bool IsNumber(const Word& word) {
  return (!word.folded.empty() && word.folded[0] >= '0' && word.folded[0] <= '9') ||
         IsIn(Numbers(), word.folded);
}

bool IsSubject(std::string_view folded) { return IsIn(Subjects(), folded); }

bool IsOpening(std::string_view folded) {
  static const WordSet set = SetOf(
      "yeah yes yep yup ya no nope ok okay oh ah aww wow hey hi hello well so and but also plus "
      "btw "
      "anyway honestly personally actually basically sure thanks thx cool great nice awesome right "
      "lol haha hmm um uh fyi again definitely absolutely exactly totally true congrats hopefully "
      "luckily fortunately unfortunately sadly lately currently sorry please anyways woah gosh man "
      "dude or then plus look listen thankfully yay woohoo");
  return IsIn(set, folded);
}

bool IsEmptyWord(std::string_view folded) {
  static const WordSet set = SetOf(
      "a an the i me my we us our you your u he him his she her it its they them their this that "
      "these those there here what which who how when where why and or but so because as if than "
      "to "
      "of in on at for with from by about into over up out off down through is are was were be "
      "been "
      "being am do does did have has had will would can could should may might must not no yes "
      "just "
      "really very too also still even only now then again all both some any more most much many "
      "lot lots bit kind sort thing things stuff something anything everything nothing someone way "
      "one ones time times good great nice cool awesome amazing fine ok okay well better best fun "
      "same such like sure of's 's it's let lets got get it'll ever always never everyone "
      "everybody "
      "together forward back around whole feel feeling feels make makes made part difference own "
      "ton tons bunch moment moments experience milestone few little new old next last going go "
      "goes done doing keep keeps that's day days");
  return IsIn(set, folded);
}

}  // namespace memory
