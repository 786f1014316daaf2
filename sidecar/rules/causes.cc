// A table of phrases over the folded words of a sentence.
#include "sidecar/rules/causes.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "sidecar/rules/stated_words.h"

namespace sidecar {
namespace {

constexpr size_t kReadOfAnAnswer = 8'192;  // bytes

// With a blank at both ends: whole words.
constexpr std::string_view kCausePhrases[] = {
    " root cause ",     " cause is ",        " cause was ",        " cause : ",
    " caused by ",      " reason is ",       " reason was ",       " reason : ",
    " because ",        " due to ",          " turned out ",       " turns out ",
    " culprit ",        " problem is that ", " problem was that ", " issue is that ",
    " issue was that ", " fails since ",     " failed since ",     " ursache ",
    " ursachen ",       " grund ist ",       " grund war ",        " grund dafür ",
    " liegt daran ",    " lag daran ",       " verursacht ",       " weil ",
    " schuld ist ",     " schuld war ",      " ausgelöst durch "};
// A part of each phrase, whatever its case.
constexpr std::string_view kHints[] = {"ause",    "AUSE",     "eason", "ue to", "urn",  "ulprit",
                                       "is that", "was that", "ince",  "rsach", "rund", "aran",
                                       "weil",    "Weil",     "chuld", "usgel"};
constexpr std::string_view kGuesses[] = {" maybe ",      " perhaps ",        " might ",
                                         " could be ",   " not sure ",       " vielleicht ",
                                         " vermutlich ", " möglicherweise ", " könnte "};

bool HasAny(const std::string& words, auto& phrases) {
  return std::ranges::any_of(
      phrases, [&](std::string_view phrase) { return words.find(phrase) != std::string::npos; });
}

}  // namespace

std::vector<std::string> CausesIn(std::string_view answer) {
  answer = answer.substr(0, base::BorderBefore(answer, std::min(answer.size(), kReadOfAnAnswer)));
  std::vector<std::string> causes;
  const auto in = [&](std::string_view hint) { return answer.find(hint) != std::string::npos; };
  if (std::ranges::none_of(kHints, in)) return causes;  // most answers: not cut into words
  for (const StatedSentence& sentence : SentencesOf(answer)) {
    if (causes.size() >= kMostCauses) break;
    std::string words = " ";
    for (const StatedWord& word : sentence.words) words += word.folded + " ";
    if (sentence.asks || !HasAny(words, kCausePhrases) || HasAny(words, kGuesses)) continue;
    causes.push_back(base::Ellipsize(base::CollapseWhitespace(sentence.text), kCauseCharacters));
  }
  return causes;
}

}  // namespace sidecar
