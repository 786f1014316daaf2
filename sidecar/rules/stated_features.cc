// Borders of words and of the sentence are part of the features; the order of words beyond three is
// not.
#include "sidecar/rules/stated_features.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace sidecar {
namespace {

constexpr size_t kPart = 4;  // characters

// Each run of kPart characters, with the borders of the word.
void AddParts(const std::string& word, std::vector<std::string>& features) {
  const std::string text = "<" + word + ">";
  std::vector<size_t> begins;
  for (size_t at = 0; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) begins.push_back(at);
  begins.push_back(text.size());
  for (size_t i = 0; i + kPart < begins.size(); ++i)
    features.push_back("~" + text.substr(begins[i], begins[i + kPart] - begins[i]));
}

// "#name1" of one, "#name1" and "#name2" of two.
void AddCount(std::string_view name, size_t count, size_t most,
              std::vector<std::string>& features) {
  for (size_t i = 1; i <= std::min(count, most); ++i)
    features.push_back("#" + std::string(name) + std::to_string(i));
}

}  // namespace

std::vector<std::string> StatedFeatures(const std::vector<StatedSentence>& sentences,
                                        size_t number) {
  const StatedSentence& sentence = sentences[number];
  std::vector<std::string> features = {"#always"};
  std::string two_before, before = "^";
  size_t values = 0, capitals = 0;
  for (const StatedWord& word : sentence.words) {
    const std::string shown = word.value ? "#1" : word.folded;
    features.push_back(shown);
    features.push_back(before + " " + shown);
    if (!two_before.empty()) features.push_back(two_before + " * " + shown);
    if (!word.value) AddParts(word.folded, features);
    values += word.value;
    capitals += word.capital;
    two_before = std::exchange(before, shown);
  }
  features.push_back(before + " $");
  if (!two_before.empty()) features.push_back(two_before + " * $");
  AddCount("value", values, 3, features);
  AddCount("name", capitals, 3, features);
  for (const size_t words : {3, 5, 8, 12, 18})
    if (sentence.words.size() > words) features.push_back("#over" + std::to_string(words));
  if (sentence.asks) features.emplace_back("#asks");
  if (number == 0) features.emplace_back("#first");
  if (number + 1 == sentences.size()) features.emplace_back("#last");
  if (sentences.size() == 1) features.emplace_back("#only");
  std::ranges::sort(features);
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

}  // namespace sidecar
