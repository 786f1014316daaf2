// Replaces word by word and keeps the text between the words.
#include "memory/extract/english/third_person.h"

#include <array>

#include "lib/base/text/text.h"

namespace memory {
namespace {

struct Pair {
  std::string_view from, to;
};

template <size_t N>
std::string_view Find(const Pair (&pairs)[N], std::string_view word) {
  for (const Pair& pair : pairs) {
    if (pair.from == word) return pair.to;
  }
  return {};
}

constexpr Pair kVerbs[] = {{"am", "is"},          {"have", "has"},       {"do", "does"},
                           {"don't", "doesn't"},  {"haven't", "hasn't"}, {"dont", "doesn't"},
                           {"were", "was"},       {"are", "is"},         {"gonna", "is going to"},
                           {"wanna", "wants to"}, {"gotta", "has to"}};
constexpr std::string_view kUnchanged[] = {"will",   "would", "can",    "can't", "cannot", "could",
                                           "should", "must",  "may",    "might", "won't",  "is",
                                           "was",    "has",   "didn't", "had",   "did"};

constexpr Pair kSubjects[] = {
    {"i", "User"}, {"my", "User's"}, {"we", "User and others"}, {"our", "User's"}};
constexpr Pair kAssistant[] = {
    {"i", "Assistant"}, {"my", "Assistant's"}, {"we", "User and assistant"}, {"our", "The"}};
constexpr Pair kPronouns[] = {{"i", "they"},
                              {"me", "them"},
                              {"my", "their"},
                              {"mine", "theirs"},
                              {"myself", "themselves"},
                              {"we", "they"},
                              {"us", "them"},
                              {"our", "their"},
                              {"ours", "theirs"},
                              {"ourselves", "themselves"}};
constexpr Pair kAddressed[] = {{"you", "the user"}, {"your", "the user's"}};
// The second word of a contraction after "they": a later "I'm" becomes "they are".
constexpr Pair kAfterThey[] = {{"am", "are"}, {"was", "were"}};

}  // namespace

std::string ThirdPerson(std::string_view verb) {
  if (const std::string_view known = Find(kVerbs, verb); !known.empty()) return std::string(known);
  if (base::IsOneOf(verb, kUnchanged)) return std::string(verb);
  const std::string word(verb);
  for (const std::string_view end : {"s", "x", "z", "ch", "sh", "o"}) {
    if (word.ends_with(end)) return word + "es";
  }
  constexpr std::string_view kVowels = "aeiou";
  if (word.size() > 1 && word.ends_with('y') &&
      kVowels.find(word[word.size() - 2]) == std::string_view::npos)
    return word.substr(0, word.size() - 1) + "ies";
  return word + "s";
}

std::string InThirdPerson(const Utterance& utterance, size_t begin, size_t end, size_t subject,
                          size_t verb) {
  const std::vector<Word>& words = utterance.words;
  std::string text;
  bool changed = false;  // the previous word was replaced; this one may be contracted with it
  bool they = false;     // the previous word became "they"
  for (size_t at = begin; at < end; ++at) {
    const Word& word = words[at];
    const std::string_view written = utterance.sentence.substr(word.begin, word.end - word.begin);
    const bool joined = at > begin && words[at - 1].end == word.begin;
    if (at > begin && !joined)
      text += utterance.sentence.substr(words[at - 1].end, word.begin - words[at - 1].end);
    std::string_view other;
    if (at == subject)
      other = utterance.speaker == Speaker::kUser ? Find(kSubjects, word.folded)
                                                  : Find(kAssistant, word.folded);
    else
      other = Find(kPronouns, word.folded);
    if (other.empty() && utterance.speaker == Speaker::kAssistant)
      other = Find(kAddressed, word.folded);
    if (other.empty() && they) other = Find(kAfterThey, word.folded);
    const bool possessive = word.folded == "'s";
    if (joined && changed && !possessive) text += ' ';
    if (at == verb && subject < end && words[subject].folded == "i")
      text += ThirdPerson(word.folded);
    else if (!other.empty())
      text += other;
    else if (joined && changed && !possessive)
      text += word.folded;
    else
      text += written;
    they = at != subject && word.folded == "i";
    // An inserted word, whose original was left out, has no text.
    changed = !other.empty() || word.begin == word.end;
  }
  return text;
}

}  // namespace memory
