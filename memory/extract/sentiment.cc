// The lexicon has stems of words that people use about their days.
#include "memory/extract/sentiment.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "lib/base/text/text.h"

namespace memory {
namespace {

constexpr size_t kReadBytes = 2'000;
constexpr int kNegationReach = 3;  // words

// Stems of words that share their values.
struct Feeling {
  double valence, arousal;
  const char* words;
};
constexpr Feeling kFeelings[] = {
    {.9, .9, "thrilled ecstatic overjoyed elated amazing fantastic incredible awesome wow"},
    {.8, .7,
     "love loved loves loving adore adores excited exciting won celebrate celebrated "
     "delighted wonderful"},
    {.7, .5,
     "happy happier glad great proud joy fun enjoy enjoyed enjoys enjoying beautiful "
     "excellent grateful thankful inspired inspiring"},
    {.5, .3,
     "like likes liked good nice pleased better helpful useful prefer prefers hopeful "
     "hope success successful"},
    {.5, .1, "calm relaxed peaceful content relieved comfortable cozy safe"},
    {-.4, .1, "tired bored boring dull sleepy exhausted lonely"},
    {-.5, .4,
     "bad worse difficult hard tough problem trouble dislike dislikes annoying annoyed "
     "disappointed disappointing failed failing wrong sorry miss missed"},
    {-.7, .3, "sad unhappy depressed heartbroken grief grieving hopeless miserable hurt crying"},
    {-.7, .8,
     "anxious worried stressed stressful nervous scared afraid frustrated frustrating "
     "overwhelmed upset"},
    {-.9, .9,
     "hate hates hated angry furious terrified horrible terrible awful panic devastated "
     "worst died death"}};

const std::unordered_map<std::string, Feeling>& Lexicon() {
  static const auto lexicon = [] {
    std::unordered_map<std::string, Feeling> made;
    for (const Feeling& feeling : kFeelings) {
      for (const std::string& word : base::Split(feeling.words, ' ')) made[word] = feeling;
    }
    return made;
  }();
  return lexicon;
}

bool Negates(std::string_view word) {
  constexpr std::string_view kNegations[] = {"not", "no", "never", "without", "cannot", "hardly"};
  return base::IsOneOf(word, kNegations) || word.ends_with("n't");
}

bool Intensifies(std::string_view word) {
  constexpr std::string_view kDegrees[] = {"very",       "really", "so",      "extremely",
                                           "absolutely", "truly",  "totally", "terribly"};
  return base::IsOneOf(word, kDegrees);
}

}  // namespace

Emotions EmotionsOf(std::string_view text) {
  Emotions sum;
  double known = 0;
  int negated = 0, raised = 0;  // the number of next words under a negation or a degree
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    const auto found = Lexicon().find(word);
    if (found != Lexicon().end()) {
      const double degree = raised > 0 ? 1.25 : 1;
      sum.valence += found->second.valence * degree * (negated > 0 ? -.5 : 1);
      sum.arousal += found->second.arousal * degree;
      ++known;
    }
    negated = Negates(word) ? kNegationReach : std::max(negated - 1, 0);
    raised = Intensifies(word) ? 1 : std::max(raised - 1, 0);
    word.clear();
  };
  for (const char c : text.substr(0, kReadBytes)) {
    if ((c >= 'a' && c <= 'z') || c == '\'')
      word += c;
    else if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c + 32);
    else
      end_word();
  }
  end_word();
  if (known == 0) return {};
  return {std::clamp(sum.valence / known, -1.0, 1.0), std::clamp(sum.arousal / known, 0.0, 1.0)};
}

}  // namespace memory
