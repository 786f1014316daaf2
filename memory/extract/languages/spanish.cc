// The table of Spanish.
#include <iterator>

#include "memory/extract/grammar/word_set.h"
#include "memory/extract/languages/european.h"

namespace memory {
namespace {

// Not the names of german.cc: both may be one unit.
constexpr FactCategory kGusta = FactCategory::kUserPreference, kPaso = FactCategory::kEpisodic,
                       kMeta = FactCategory::kGoal, kSabe = FactCategory::kKnowledge,
                       kRectifica = FactCategory::kCorrection;

constexpr PatternRow kSpanish[] = {
    {"no es|son|el|la|se|está", kRectifica, .7, kFigure},
    {"en realidad es|el|la|vivo|trabajo|prefiero|mi|se", kRectifica, .65},
    {"eso es incorrecto|falso", kRectifica, .65},
    {"quise|quería decir", kRectifica, .6},

    {"?a ?mí ?no me @few gusta|gustan|encanta|encantan|molesta|molestan", kGusta, .6},
    {"?yo @few prefiero|odio|detesto|adoro", kGusta, .6},
    {"no soporto|como|bebo", kGusta, .6},
    {"mi|mis @noun favorito|favorita|favoritos|favoritas es|son", kGusta, .65},
    {"llámame|llámeme", kGusta, .8, kMayAddress},
    {"soy @few alérgico|alérgica a|al", kGusta, .75},
    {"soy vegetariano|vegetariana|vegano|vegana", kGusta, .7, kMayEnd},
    {"a partir de ahora", kGusta, .7},

    {"?yo quiero|quisiera|planeo|espero|pienso|necesito", kMeta, .5},
    {"voy a", kMeta, .5},
    {"me gustaría", kMeta, .5},
    {"tengo la intención de", kMeta, .55},
    {"he decidido", kMeta, .6},
    {"recuérdame|recuérdeme", kMeta, .75, kMayAddress},
    {"mi objetivo|meta|sueño|plan es", kMeta, .65},

    {"ayer|anoche|anteayer|recientemente @preterite", kPaso, .55},
    {"la semana pasada @preterite", kPaso, .55},
    {"el mes|año|lunes|martes|miércoles|jueves|viernes|sábado|domingo pasado @preterite", kPaso,
     .55},
    {"@preterite @any ayer|anoche|pasada|pasado|recientemente", kPaso, .55, kMayEnd},

    {"?yo me llamo", kSabe, .8},
    {"mi nombre es", kSabe, .8},
    {"?yo vivo en|con|cerca", kSabe, .7},
    {"?yo trabajo @few en|como|para|de|con", kSabe, .65},
    {"?yo soy de|un|una", kSabe, .6},
    {"tengo un|una|dos|tres|cuatro", kSabe, .52},
    {"mi|mis @noun es|son|se|vive|trabaja|tiene|viven", kSabe, .55},
    {"hemos decidido|elegido|acordado", kSabe, .65, kByAnySpeaker},
    {"decidimos|acordamos", kSabe, .65, kByAnySpeaker},
    {"usamos|utilizamos", kSabe, .6},
    {"el|la|los|las @noun usa|utiliza|corre|funciona|depende|escucha|necesita|requiere", kSabe, .5,
     kByAnySpeaker},
};

bool IsPalabra(const Word& word) { return !word.folded.empty(); }

bool IsNombre(const Word& word) {
  static const WordSet none = SetOf("es son yo tú él ella que y pero no se me");
  return !IsIn(none, word.folded);
}

// First person of the simple past.
bool IsPreterite(const Word& word) {
  static const WordSet set = SetOf(
      "fui fuimos hice hicimos tuve tuvimos vi vimos estuve estuvimos di dimos puse traje vine "
      "dije");
  constexpr std::string_view kLeast = "ab";
  const std::string& verb = word.folded;
  return IsIn(set, verb) ||
         (verb.size() > kLeast.size() + 2 && (verb.ends_with("é") || verb.ends_with("í") ||
                                              verb.ends_with("imos") || verb.ends_with("amos")));
}

constexpr WordClass kPalabras[] = {{"any", IsPalabra, 0, 8},
                                   {"few", IsPalabra, 0, 2},
                                   {"noun", IsNombre, 1, 4},
                                   {"preterite", IsPreterite, 1, 1}};

}  // namespace

const Patterns& SpanishPatterns() {
  static const Patterns patterns({std::begin(kSpanish), std::end(kSpanish)},
                                 {std::begin(kPalabras), std::end(kPalabras)});
  return patterns;
}

}  // namespace memory
