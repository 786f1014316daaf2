// The table of German.
#include <iterator>

#include "memory/extract/grammar/word_set.h"
#include "memory/extract/languages/european.h"

namespace memory {
namespace {

constexpr FactCategory kLike = FactCategory::kUserPreference, kEvent = FactCategory::kEpisodic,
                       kAim = FactCategory::kGoal, kKnown = FactCategory::kKnowledge,
                       kFixed = FactCategory::kCorrection;

constexpr PatternRow kGerman[] = {
    {"nein es|das|der|die ist|sind|heißt|läuft|war", kFixed, .7, kFigure},
    {"nein der|die|das @noun ist|heißt|läuft", kFixed, .7, kFigure},
    {"eigentlich ist|sind|heißt|läuft|wohne|arbeite", kFixed, .65},
    {"das stimmt nicht|ist|war ?nicht falsch|richtig", kFixed, .65},
    {"ich meinte", kFixed, .6},

    {"ich mag|liebe|hasse|bevorzuge|verabscheue", kLike, .6},
    {"ich trinke|esse|höre|lese|spiele|arbeite|fahre|benutze|nutze|koche|reise @any "
     "gern|gerne|lieber|ungern",
     kLike, .6, kMayEnd},
    {"am liebsten", kLike, .6},
    {"mir gefällt|gefallen|schmeckt|schmecken", kLike, .55},
    {"mein|meine @favourite ist|sind|heißt", kLike, .65},
    {"nenn|nennt|nennen ?sie mich", kLike, .8, kMayAddress},
    {"ich bin @few allergisch gegen", kLike, .75},
    {"ich bin ?kein ?keine ?ein ?eine ?großer vegetarier|vegetarierin|veganer|veganerin|fan", kLike,
     .65, kMayEnd},
    {"bitte immer|nie|niemals", kLike, .7},
    {"ab jetzt|sofort", kLike, .7},

    {"ich möchte|will|plane|werde|muss", kAim, .5},
    {"ich habe vor|beschlossen", kAim, .55},
    {"ich habe mir vorgenommen", kAim, .55},
    {"erinnere|erinner mich", kAim, .75},
    {"mein ziel|plan|traum ist", kAim, .65},

    {"gestern|vorgestern|neulich|kürzlich|heute habe|bin|war|haben|waren|hatte ich|wir", kEvent,
     .55},
    {"letzte|letzten|letztes|letzter @noun habe|bin|war|haben|waren ich|wir", kEvent, .55},
    {"vor @few tagen|wochen|monaten|jahren|jahr|woche|monat habe|bin|war|haben|sind ich|wir",
     kEvent, .55},
    {"ich|wir habe|bin|haben|sind|war|waren @few gestern|vorgestern|letzte|letzten|letztes|neulich|"
     "kürzlich|gerade",
     kEvent, .55},

    {"ich heiße|heisse", kKnown, .8},
    {"mein name ist", kKnown, .8},
    {"ich wohne|lebe @few in|bei|auf|im|mit|am|seit", kKnown, .7},
    {"ich arbeite @few als|bei|für|in|im|an|am|mit|seit", kKnown, .65},
    {"ich komme aus", kKnown, .65},
    {"ich bin @few jahre alt", kKnown, .65, kMayEnd},
    {"ich bin von beruf", kKnown, .65},
    {"ich habe einen|eine|ein|zwei|drei|vier", kKnown, .52},
    {"mein|meine @noun ist|heißt|sind|wohnt|arbeitet|lebt|mag|hat", kKnown, .55},
    {"wir haben @few beschlossen|entschieden", kKnown, .65, kMayEnd | kByAnySpeaker},
    {"wir haben uns @any entschieden|geeinigt", kKnown, .65, kMayEnd | kByAnySpeaker},
    {"wir verwenden|benutzen|nutzen", kKnown, .6},
    {"der|die|das @noun läuft|verwendet|nutzt|benutzt|braucht|lauscht|liegt|hängt", kKnown, .5,
     kByAnySpeaker},
};

bool IsAnyWord(const Word& word) { return !word.folded.empty(); }

bool IsGermanNoun(const Word& word) {
  static const WordSet none = SetOf("ist sind war ich wir er sie es der die das und aber dass");
  return !IsIn(none, word.folded);
}

bool IsFavourite(const Word& word) { return word.folded.starts_with("lieblings"); }

constexpr WordClass kClasses[] = {{"any", IsAnyWord, 0, 6},
                                  {"few", IsAnyWord, 0, 3},
                                  {"noun", IsGermanNoun, 1, 4},
                                  {"favourite", IsFavourite, 1, 1}};

}  // namespace

const Patterns& GermanPatterns() {
  static const Patterns patterns({std::begin(kGerman), std::end(kGerman)},
                                 {std::begin(kClasses), std::end(kClasses)});
  return patterns;
}

}  // namespace memory
