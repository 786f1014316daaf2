// The table of French.
#include <iterator>

#include "memory/extract/grammar/word_set.h"
#include "memory/extract/languages/european.h"

namespace memory {
namespace {

// Not the names of german.cc: both may be one unit.
constexpr FactCategory kAime = FactCategory::kUserPreference, kPasse = FactCategory::kEpisodic,
                       kBut = FactCategory::kGoal, kSait = FactCategory::kKnowledge,
                       kCorrige = FactCategory::kCorrection;

constexpr PatternRow kFrench[] = {
    {"non c'est|ce|le|la|les|il|elle", kCorrige, .7, kFigure},
    {"en fait c'est|le|la|j'habite|je", kCorrige, .65},
    {"c'est faux|incorrect", kCorrige, .65},
    {"je voulais dire", kCorrige, .6},

    {"j'aime|j'adore|j'apprécie", kAime, .6},
    {"je préfère|déteste|hais", kAime, .6},
    {"je n'aime|supporte pas", kAime, .6},
    {"mon|ma|mes @noun préféré|préférée|préférés|préférées|favori|favorite est|sont|s'appelle",
     kAime, .65},
    {"appelle-moi|appelez-moi", kAime, .8, kMayAddress},
    {"je suis @few allergique ?à ?au ?aux", kAime, .75},
    {"je suis végétarien|végétarienne|végane|végan", kAime, .7, kMayEnd},
    {"je ne mange|bois|prends ?pas ?jamais", kAime, .6},
    {"à partir de maintenant", kAime, .7},

    {"je veux|voudrais|souhaite|compte|prévois|dois|vais", kBut, .5},
    {"j'aimerais|j'espère", kBut, .5},
    {"j'ai l'intention|décidé de", kBut, .55},
    {"rappelle-moi|rappelez-moi", kBut, .75, kMayAddress},
    {"mon but|objectif|rêve est", kBut, .65},

    {"hier|avant-hier|récemment ?soir ?matin j'ai|je|j'étais|nous|on", kPasse, .55},
    {"la semaine|l'année dernière j'ai|je|nous|on", kPasse, .55},
    {"le mois|week-end|weekend dernier j'ai|je|nous|on", kPasse, .55},
    {"j'ai|je @any hier|récemment|dernière|dernier", kPasse, .55, kMayEnd},

    {"je m'appelle", kSait, .8},
    {"mon nom est", kSait, .8},
    {"j'habite ?à ?en ?dans ?au", kSait, .7},
    {"je vis|habite|réside à|en|dans|avec|au", kSait, .7},
    {"je travaille @few chez|comme|à|en|pour|dans|au|sur", kSait, .65},
    {"je suis né|née|originaire|de|un|une", kSait, .6},
    {"j'ai un|une|deux|trois|quatre", kSait, .52},
    {"mon|ma|mes @noun est|sont|s'appelle|s'appellent|travaille|habite|vit|aime", kSait, .55},
    {"nous avons décidé|choisi|convenu", kSait, .65, kByAnySpeaker},
    {"nous utilisons", kSait, .6},
    {"on utilise", kSait, .55},
    {"le|la|les @noun tourne|utilise|fonctionne|écoute|dépend|nécessite|utilisent", kSait, .5,
     kByAnySpeaker},
};

bool IsMot(const Word& word) { return !word.folded.empty(); }

bool IsNom(const Word& word) {
  static const WordSet none = SetOf("est sont je tu il elle nous vous qui que et mais j'ai c'est");
  return !IsIn(none, word.folded);
}

constexpr WordClass kMots[] = {{"any", IsMot, 1, 8}, {"few", IsMot, 0, 3}, {"noun", IsNom, 1, 4}};

}  // namespace

const Patterns& FrenchPatterns() {
  static const Patterns patterns({std::begin(kFrench), std::end(kFrench)},
                                 {std::begin(kMots), std::end(kMots)});
  return patterns;
}

}  // namespace memory
