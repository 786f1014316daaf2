// A table of signs: beginnings of sentences with the strings that must follow. The first match
// wins, so specific rows come before general ones.
#include "memory/extract/languages/east_asian.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/text/text.h"

namespace memory {
namespace {

constexpr size_t kReadBytes = 480;  // of a sentence
// Strings of questions, suppositions, quotes of others, and sentences to the assistant or about
// something unnamed.
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

// A sentence matches if it begins with `begins`, `has` follows within `within` bytes, and `ends`
// occurs after both. Alternatives are separated by '|'; empty matches anything. `any_speaker`: the
// assistant may state it, too.
struct Sign {
  const char *begins, *has;
  size_t within;
  const char* ends;
  FactCategory category;
  double importance;
  bool any_speaker = false;
};

constexpr size_t kNear = 15;  // bytes: five characters
constexpr size_t kFar = 480;  // the whole of it

constexpr FactCategory kPrefers = FactCategory::kUserPreference,
                       kHappened = FactCategory::kEpisodic, kAims = FactCategory::kGoal,
                       kStates = FactCategory::kKnowledge, kCorrects = FactCategory::kCorrection;

const std::vector<Sign>& ChineseSigns() {
  static const std::vector<Sign> signs = {
      {"不，|不对，|不是，|不,|不对,|错了，", "是|应该", kFar, "", kCorrects, .7},
      {"其实", "是|应该", kFar, "", kCorrects, .65},
      {"叫我|请叫我|你可以叫我", "", 0, "", kPrefers, .8},
      {"我对|我", "过敏", kFar, "", kPrefers, .75},
      {"我", "喜欢|讨厌|爱吃|爱喝|偏好|偏爱|受不了|习惯", kNear, "", kPrefers, .6},
      {"请总是|请一直|以后请|从现在起|从现在开始", "", 0, "", kPrefers, .7},
      {"提醒我|请提醒我", "", 0, "", kAims, .75},
      {"我的目标|我的计划|我的梦想", "是", kNear, "", kAims, .65},
      {"昨天|前天|昨晚|上周|上个月|上个周末|去年|刚才|最近", "我", kNear, "了|过", kHappened, .55},
      {"我|我们", "昨天|前天|昨晚|上周|上个月|上个周末|去年|刚刚", kNear, "了|过", kHappened, .55},
      {"我住在|我家在|我来自|我叫|我的名字是|我的名字叫", "", 0, "", kStates, .75},
      {"我在", "工作|上班|上学|读书", kFar, "", kStates, .65},
      {"我们决定|我们已经决定|我们选择了", "", 0, "", kStates, .65, true},
      {"我们使用|我们用|我们采用|我们在用", "", 0, "", kStates, .6},
      {"我是一名|我是一个|我是个|我是一位|我是做", "", 0, "", kStates, .6},
      {"我有一|我有两|我有三|我养了", "", 0, "", kStates, .52},
      {"我的", "是|叫|住在", kFar, "", kStates, .55},
      {"我", "打算|计划|准备|希望|想要|想去|想学|想买|想做|想把", kNear, "", kAims, .52},
      {"", "运行在|依赖于|监听|部署在|存储在", kNear * 2, "", kStates, .5, true},
  };
  return signs;
}

const std::vector<Sign>& JapaneseSigns() {
  static const std::vector<Sign> signs = {
      {"いいえ、|いや、|違います", "", 0, "です|ます|だ", kCorrects, .7},
      {"", "ではなく|じゃなくて", kFar, "です|ます|だ", kCorrects, .65},
      {"", "と呼んで", kFar, "", kPrefers, .8},
      {"", "アレルギー", kFar, "", kPrefers, .75},
      {"", "が好き|が大好き|が嫌い|が苦手|のほうが好き|を好みます", kFar, "", kPrefers, .6},
      {"これからは|今後は", "", 0, "ください|して", kPrefers, .7},
      {"", "思い出させて|リマインドして", kFar, "", kAims, .75},
      {"私の目標は|僕の目標は|目標は", "", 0, "", kAims, .65},
      {"昨日|一昨日|おととい|先週|先月|去年|先日|昨夜", "", 0, "ました|でした|した|った", kHappened,
       .55},
      {"私は昨日|私は先週|私は先月|私は去年|僕は昨日", "", 0, "ました|でした|した|った", kHappened,
       .55},
      {"", "に住んで|で働いて|出身です|と申します|といいます|に勤めて", kFar, "", kStates, .7},
      {"私の名前は|僕の名前は|名前は", "", 0, "です", kStates, .8},
      {"私の|僕の|俺の", "は", kFar, "です|ます|だ", kStates, .55},
      {"", "に決めました|ことにしました|に決まりました", kFar, "", kStates, .65, true},
      {"", "を使っています|を使用しています|で動いています|に依存しています", kFar, "", kStates,
       .55, true},
      {"", "たいと思|つもりです|予定です|を目指して|たいです", kFar, "", kAims, .52},
      {"私は|僕は|俺は", "", 0, "です", kStates, .5},
  };
  return signs;
}

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
      const std::string_view rest = text.substr(at + has.size());
      const bool ends = AnyOf(sign.ends, [&](std::string_view end) {
        return rest.find(end) != std::string_view::npos;
      });
      const bool has_content = text.size() - begin.size() - has.size() >= 3;
      const bool unclear = std::any_of(std::begin(kUnclearNext), std::end(kUnclearNext),
                                       [&](const char* next) { return rest.starts_with(next); });
      return ends && has_content && !unclear;
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
    if ((speaker == Speaker::kUser || sign.any_speaker) && Matches(sign, text)) return &sign;
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
