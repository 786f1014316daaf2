// A table of beginnings and of what must follow.
#include "memory/extract/languages/east_asian.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/text/text.h"
#include "memory/extract/languages/signs.h"

namespace memory {
namespace {

constexpr size_t kReadBytes = 480;  // of a sentence
// Questions, suppositions, others' words, and what speaks to the assistant or of something unnamed.
constexpr const char* kNoneIn[] = {
    "吗",     "你能",     "你可以帮", "想知道", "想问",     "请问",     "希望你",
    "想让你", "需要你",   "怎么",     "什么",   "知りたい", "聞きたい", "ですか",
    "ますか", "でしょう", "かもしれ", "らしい", "と言って", "と言い",   "そうです",
    "さんは", "くんは",   "ちゃんは", "教えて", "お願い",   "あなた"};
constexpr const char* kNoneFirst[] = {
    "如果",   "假如", "要是", "假设", "比如", "例如", "もし", "例えば", "たとえば", "彼",  "君",
    "みんな", "他",   "她",   "你",   "您",   "这",   "那",   "これ",   "それ",     "あれ"};
constexpr const char* kUnclearNext[] = {"这", "那", "它", "你", "您"};
constexpr const char* kOpenings[] = {"嗯，",       "哦，",   "好的，", "另外，",      "还有，",
                                     "但是",       "不过，", "不过",   "所以",        "而且",
                                     "ちなみに、", "あと、", "でも、", "実は",        "はい、",
                                     "そして、",   "また、", "你好，", "こんにちは、"};

// Calls `test` with each part of a list until it returns true.
template <class Test>
bool AnyOf(std::string_view list, Test&& test) {
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find('|', at), list.size());
    if (test(list.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

bool Matches(const Sign& sign, std::string_view text) {
  return AnyOf(sign.begins, [&](std::string_view begin) {
    if (!text.starts_with(begin)) return false;
    return AnyOf(sign.has, [&](std::string_view has) {
      const size_t at = text.find(has, begin.size());
      if (at == std::string_view::npos || at - begin.size() > sign.within) return false;
      const std::string_view behind = text.substr(at + has.size());
      const bool ends = AnyOf(sign.ends, [&](std::string_view end) {
        return behind.find(end) != std::string_view::npos;
      });
      const bool says = text.size() - begin.size() - has.size() >= 3;
      const bool unclear = std::any_of(std::begin(kUnclearNext), std::end(kUnclearNext),
                                       [&](const char* next) { return behind.starts_with(next); });
      return ends && says && !unclear;
    });
  });
}

bool HasKana(std::string_view text) {
  for (size_t at = 0; at + 2 < text.size(); ++at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(text[at + 1]);
    if (lead == 0xE3 && second >= 0x81 && second <= 0x83) return true;
  }
  return false;
}

bool IsEastAsian(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xE3 && byte <= 0xE9;
  });
}

const Sign* FirstOf(const std::vector<Sign>& signs, std::string_view text, Speaker speaker) {
  for (const Sign& sign : signs) {
    if ((speaker == Speaker::kUser || sign.anyone) && Matches(sign, text)) return &sign;
  }
  return nullptr;
}

}  // namespace

bool ReadEastAsian(const Sentence& sentence, Speaker speaker, FactCandidate& fact) {
  std::string_view text = sentence.text.substr(0, base::BorderBefore(sentence.text, kReadBytes));
  if (!IsEastAsian(text)) return false;
  for (const char* opening : kOpenings) {
    if (text.starts_with(opening)) text.remove_prefix(std::string_view(opening).size());
  }
  for (const char* none : kNoneFirst) {
    if (text.starts_with(none)) return false;
  }
  for (const char* none : kNoneIn) {
    if (text.find(none) != std::string_view::npos) return false;
  }
  const Sign* sign = FirstOf(HasKana(text) ? JapaneseSigns() : ChineseSigns(), text, speaker);
  if (!sign) return false;
  const size_t begin = static_cast<size_t>(text.data() - sentence.text.data());
  fact.content = base::Ellipsize(base::CollapseWhitespace(sentence.text.substr(begin)),
                                 kMaxFactCharacters - 1) +
                 "。";
  fact.category = sign->category;
  fact.importance = sign->importance - (speaker == Speaker::kAssistant ? .1 : 0);
  fact.said_by = speaker;
  return true;
}

}  // namespace memory
