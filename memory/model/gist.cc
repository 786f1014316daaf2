// Weighs sentences by their words.
#include "memory/model/gist.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "lib/base/text/text.h"

namespace memory {

namespace {

constexpr size_t kLeastWord = 4;  // bytes; shorter words say little

// A sentence ends at a full stop followed by a blank, at a line break, or at a full-width stop.
std::vector<std::string_view> SentencesOf(std::string_view text) {
  std::vector<std::string_view> sentences;
  size_t begin = 0;
  auto end_at = [&](size_t end) {
    const std::string_view one = base::Trim(text.substr(begin, end - begin));
    if (!one.empty()) sentences.push_back(one);
    begin = end;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const bool stop = text[at] == '.' || text[at] == '!' || text[at] == '?';
    if (text[at] == '\n' || (stop && at + 1 < text.size() && text[at + 1] == ' ')) end_at(at + 1);
    if (text.substr(at, 3) == "。" || text.substr(at, 3) == "！" || text.substr(at, 3) == "？")
      end_at(at + 3);
  }
  end_at(text.size());
  return sentences;
}

template <class Take>
void ForWordsOf(std::string_view sentence, Take&& take) {
  for (const std::string& word : base::Split(base::FoldCase(sentence), ' '))
    if (word.size() >= kLeastWord) take(word);
}

}  // namespace

std::string GistOf(std::string_view text, size_t most) {
  if (base::CountCharacters(text) <= most) return std::string(text);
  const std::vector<std::string_view> sentences = SentencesOf(text);
  std::unordered_map<std::string, double> counts;
  for (std::string_view one : sentences)
    ForWordsOf(one, [&](const std::string& word) { ++counts[word]; });
  std::vector<std::pair<double, size_t>> weighed;  // the heaviest first, then the first
  for (size_t i = 1; i < sentences.size(); ++i) {
    double sum = 0, words = 0;
    ForWordsOf(sentences[i], [&](const std::string& word) { sum += counts[word], ++words; });
    weighed.emplace_back(words > 0 ? -sum / std::sqrt(words) : 0, i);
  }
  std::sort(weighed.begin(), weighed.end());
  std::vector<bool> kept(sentences.size());
  size_t room = most;
  auto keep = [&](size_t i) {
    const size_t characters = base::CountCharacters(sentences[i]) + 1;
    if (characters > room) return;
    kept[i] = true;
    room -= characters;
  };
  if (!sentences.empty()) keep(0);
  for (const auto& [weight, i] : weighed) keep(i);
  std::string gist;
  for (size_t i = 0; i < sentences.size(); ++i)
    if (kept[i]) gist += (gist.empty() ? "" : " ") + std::string(sentences[i]);
  return gist.empty() ? base::Ellipsize(text, most) : gist;
}

}  // namespace memory
