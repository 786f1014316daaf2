// A linear model: the score of a sentence is the sum of the weights of its features.
#include "sidecar/rules/stated.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/rules/stated_features.h"
#include "sidecar/rules/stated_weights.h"
#include "sidecar/rules/stated_words.h"

namespace sidecar {
namespace {

constexpr size_t kStatedTitle = 120, kSigns = 4;
constexpr size_t kLeastWords = 3;  // of a sentence that states something
constexpr int kNoScore = -10'000;

int ScoreOf(const std::vector<std::string>& features) {
  int score = 0;
  for (const std::string& feature : features) score += StatedWeight(feature);
  return score;
}

// Whole words alone: parts of words mean nothing to people.
std::vector<std::string> SignsOf(const std::vector<std::string>& features) {
  std::vector<std::pair<int, std::string>> signs;
  for (const std::string& feature : features)
    if (feature[0] != '~' && feature[0] != '#' && StatedWeight(feature) > 0)
      signs.emplace_back(-StatedWeight(feature), feature);
  std::ranges::sort(signs);
  std::vector<std::string> strongest;
  for (const auto& [weight, feature] : signs)
    if (strongest.size() < kSigns) strongest.push_back(feature);
  return strongest;
}

// The first kind that has a word of the sentence; a fact else.
constexpr std::pair<StatedKind, std::string_view> kKinds[] = {
    {StatedKind::kDecision,
     " decided decide decision agreed agree chose chosen settled voted rejected dropped "
     "standardized "
     "standardised entschieden entscheidung beschlossen beschluss vereinbart geeinigt festgelegt "
     "verworfen abgelehnt abgemacht "},
    {StatedKind::kPreference,
     " prefer favour favor hate dislike like love rather fan bevorzuge mag hasse lieber ungern "
     "liebsten i'd "},
    {StatedKind::kConvention,
     " always never must dont convention rule policy every use avoid forbidden banned only we "
     "immer nie niemals muss müssen darf dürfen nur regel konvention vorgabe verboten jede jeder "
     "jedes wir uns bitte nimm kein keine keinen "}};

StatedKind KindOf(const StatedSentence& sentence) {
  for (const auto& [kind, words] : kKinds)
    for (const StatedWord& word : sentence.words)
      if (words.find(" " + word.folded + " ") != std::string_view::npos) return kind;
  return StatedKind::kFact;
}

// "It is …" says nothing without the sentence before.
bool PointsBack(const StatedSentence& sentence) {
  constexpr std::string_view kPointers[] = {"it",     "that", "this", "these", "those", "they",
                                            "he",     "she",  "das",  "dies",  "diese", "dieser",
                                            "dieses", "es",   "sie",  "er"};
  return std::ranges::find(kPointers, sentence.words[0].folded) != std::end(kPointers);
}

std::string Closed(const StatedSentence& sentence) {
  return base::CollapseWhitespace(sentence.text) + (sentence.asks ? "?" : ".");
}

}  // namespace

std::optional<Stated> StatedIn(std::string_view prompt) {
  prompt =
      prompt.substr(0, base::BorderBefore(prompt, std::min(prompt.size(), kMostReadOfAPrompt)));
  const std::vector<StatedSentence> sentences = SentencesOf(prompt);
  std::vector<int> scores;
  Stated stated;
  stated.score = kNoScore;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const auto features = StatedFeatures(sentences, i);
    const bool is_short = sentences[i].words.size() < kLeastWords;
    scores.push_back(is_short ? kNoScore : ScoreOf(features));
    if (scores[i] < kLeastStatedScore || scores[i] <= stated.score) continue;
    stated.score = scores[i];
    stated.signs = SignsOf(features);
  }
  if (stated.score < kLeastStatedScore) return std::nullopt;
  size_t next = 0;  // after what is kept
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (scores[i] < kLeastStatedScore) continue;
    if (stated.title.empty()) {
      stated.kind = KindOf(sentences[i]);
      stated.title = base::Ellipsize(Closed(sentences[i]), kStatedTitle);
    }
    stated.kind = std::min(stated.kind, KindOf(sentences[i]));
    for (size_t at = PointsBack(sentences[i]) && i > next ? i - 1 : i; at <= i; ++at)
      stated.words += (stated.words.empty() ? "" : " ") + Closed(sentences[at]);
    next = i + 1;
  }
  stated.words = base::Ellipsize(stated.words, kMostStated);
  return stated;
}

std::string_view NameOf(StatedKind kind) {
  constexpr std::string_view kNames[] = {"decision", "convention", "preference", "fact"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace sidecar
