// Tries the tables of the languages in turn, with the same checks.
#include "memory/extract/languages/european.h"

#include <algorithm>
#include <string>

#include "lib/base/text/text.h"
#include "memory/extract/grammar/word_set.h"
#include "memory/extract/prose/words.h"

namespace memory {
namespace {

bool OpensSentence(std::string_view word) {
  static const WordSet set = SetOf(
      "ja hallo hi also und aber oui bonjour salut alors et mais donc sí hola bueno pues y pero "
      "übrigens aussi también además außerdem auch merci gracias danke");
  return IsIn(set, word);
}

bool SupposesElsewhere(std::string_view word) {
  static const WordSet set =
      SetOf("wenn falls angenommen beispielsweise si supposons imaginons imagina supongamos ojalá");
  return IsIn(set, word);
}

// A first word of the rest that refers to something outside the sentence, or begins a wish to know.
bool IsUnclearElsewhere(std::string_view word) {
  static const WordSet set = SetOf(
      "das es dich dein deine deinen dir dass wissen fragen sagen ihnen sie sehen nicht so ça cela "
      "ceci ce te ton ta tes vous votre vos que qu'il savoir demander dire voir tu tus eso esto su "
      "saber preguntar decir ver ello lo eine-frage");
  return IsIn(set, word);
}

// A noun after "I have a …" that is no possession.
bool IsRemark(std::string_view word) {
  static const WordSet set = SetOf(
      "frage problem idee bitte fehler ahnung question problème idée doute erreur bug pregunta "
      "duda "
      "problema idea error");
  return IsIn(set, word);
}

bool SpeaksToSomebody(const Word& word) {
  static const WordSet set =
      SetOf("du dich dir dein deine deinen deinem tu te toi ton vous votre tú ti usted ustedes");
  return IsIn(set, word.folded);
}

}  // namespace

bool ReadEuropean(const Sentence& sentence, Speaker speaker, FactCandidate& fact) {
  const std::vector<Word> words = WordsOf(sentence.text);
  size_t begin = 0;
  while (begin < words.size() && OpensSentence(words[begin].folded)) ++begin;
  if (begin >= words.size() || SupposesElsewhere(words[begin].folded)) return false;
  const auto accept = [&](const PatternMatch& match) {
    const unsigned needs = match.row->needs;
    if (speaker == Speaker::kAssistant && (needs & kByAnySpeaker) == 0) return false;
    // "No, es …" corrects; "no es" denies.
    if (match.row->category == FactCategory::kCorrection && (needs & kFigure) != 0 &&
        words[begin].mark != ',')
      return false;
    if (match.rest < words.size() &&
        (IsUnclearElsewhere(words[match.rest].folded) || IsRemark(words[match.rest].folded)))
      return false;
    if ((needs & kMayAddress) == 0 &&
        std::any_of(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(),
                    SpeaksToSomebody))
      return false;
    fact.category = match.row->category;
    fact.importance = match.row->importance - (speaker == Speaker::kAssistant ? .1 : 0);
    return true;
  };
  for (const Patterns* patterns : {&GermanPatterns(), &FrenchPatterns(), &SpanishPatterns()}) {
    if (!patterns->Find(words, begin, words.size(), accept)) continue;
    const std::string_view stated = sentence.text.substr(words[begin].begin);
    fact.content = base::Ellipsize(base::CollapseWhitespace(stated), kMaxFactCharacters - 1) + ".";
    fact.said_by = speaker;
    return true;
  }
  return false;
}

}  // namespace memory
