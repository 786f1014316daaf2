// A table of phrases over the folded words of a sentence.
#include "sidecar/rules/causes.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "sidecar/rules/stated_words.h"

namespace sidecar {
namespace {

constexpr size_t kReadOfAnAnswer = 8'192;  // bytes
constexpr size_t kLeastAnswerWords = 4;    // of a sentence that answers why

// With a blank at both ends: whole words.
constexpr std::string_view kCausePhrases[] = {
    " root cause ",       " cause is ",       " cause was ",
    " cause : ",          " caused by ",      " reason is ",
    " reason was ",       " reason : ",       " because ",
    " due to ",           " turned out ",     " turns out ",
    " culprit ",          " found it ",       " problem is that ",
    " problem was that ", " comes from ",     " came from ",
    " issue is that ",    " issue was that ", " fails since ",
    " failed since ",     " stems from ",     " therefore ",
    " is why ",           " was why ",        " leads to ",
    " led to ",           " ursache ",        " ursachen ",
    " grund ist ",        " grund war ",      " grund dafür ",
    " liegt daran ",      " lag daran ",      " liegt an ",
    " lag an ",           " liegt am ",       " lag am ",
    " kommt daher ",      " kam daher ",      " kommt davon ",
    " kam davon ",        " führt dazu ",     " führte dazu ",
    " verursacht ",       " weil ",           " deshalb ",
    " deswegen ",         " schuld ist ",     " schuld war ",
    " gefunden : ",       " ausgelöst durch "};
// A part of each phrase, whatever its case.
constexpr std::string_view kHints[] = {
    "ause",     "AUSE",  "eason",   "ue to",  "urn",    "ulprit", "ound it", "is that", "was that",
    "mes from", "ame f", "ms fr",   "ince",   "here",   "why",    "WHY",     "eads to", "ed to",
    "rsach",    "rund",  "aran",    "iegt a", "ag a",   "aher",   "davon",   "dazu",    "weil",
    "Weil",     "eshal", "eswegen", "chuld",  "funden", "usgel"};
constexpr std::string_view kGuesses[] = {" maybe ",      " perhaps ",        " might ",
                                         " could be ",   " not sure ",       " vielleicht ",
                                         " vermutlich ", " möglicherweise ", " könnte "};

bool HasAny(const std::string& words, auto& phrases) {
  return std::ranges::any_of(
      phrases, [&](std::string_view phrase) { return words.find(phrase) != std::string::npos; });
}

// Of a question, with a blank at both ends.
constexpr std::string_view kWhys[] = {
    " why ",   " how come ", " what causes ", " what caused ", " any idea ", " what is wrong ",
    " warum ", " wieso ",    " weshalb ",     " woran ",       " woher "};

std::string FoldedWords(const StatedSentence& sentence) {
  std::string words = " ";
  for (const StatedWord& word : sentence.words) words += word.folded + " ";
  return words;
}

}  // namespace

bool AsksForCause(std::string_view request) {
  request =
      request.substr(0, base::BorderBefore(request, std::min(request.size(), kReadOfAnAnswer)));
  return std::ranges::any_of(SentencesOf(request), [](const StatedSentence& sentence) {
    return HasAny(FoldedWords(sentence), kWhys);
  });
}

std::vector<std::string> CausesIn(std::string_view answer, bool was_asked) {
  answer = answer.substr(0, base::BorderBefore(answer, std::min(answer.size(), kReadOfAnAnswer)));
  std::vector<std::string> causes;
  const auto in = [&](std::string_view hint) { return answer.find(hint) != std::string::npos; };
  // Most answers are not cut into words.
  if (!was_asked && std::ranges::none_of(kHints, in)) return causes;
  std::string first;
  for (const StatedSentence& sentence : SentencesOf(answer)) {
    if (causes.size() >= kMostCauses) break;
    const std::string words = FoldedWords(sentence);
    if (sentence.asks || HasAny(words, kGuesses)) continue;
    const bool names_one = HasAny(words, kCausePhrases);
    if (!names_one && (!first.empty() || sentence.words.size() < kLeastAnswerWords)) continue;
    std::string cause = base::Ellipsize(base::CollapseWhitespace(sentence.text), kCauseCharacters);
    if (names_one)
      causes.push_back(std::move(cause));
    else
      first = std::move(cause);
  }
  if (was_asked && causes.empty() && !first.empty()) causes.push_back(std::move(first));
  return causes;
}

}  // namespace sidecar
