// Splits queries into words (retrieval: "The recommended ranker", step 1).
#include "memory/model/words.h"

#include <algorithm>
#include <unordered_set>

#include "lib/base/text/text.h"
#include "memory/model/word_lists.h"

namespace memory {
namespace {

struct Character {
  uint32_t code;
  size_t begin, size;  // bytes
};

// The text is UTF-8 already (checked at the edge): no error handling here.
Character At(std::string_view text, size_t begin) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[begin + i]); };
  unsigned lead = byte(0);
  size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (begin + size > text.size()) return {0xFFFD, begin, 1};
  uint32_t code = size == 1 ? lead : lead & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3Fu);
  return {code, begin, size};
}

bool IsCjk(uint32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7AF) ||
         (c >= 0x1100 && c <= 0x11FF) || (c >= 0x3130 && c <= 0x318F) ||
         (c >= 0x31F0 && c <= 0x31FF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFF66 && c <= 0xFF9F) || (c >= 0x20000 && c <= 0x3FFFF);
}

// Approximates the tokens of unicode61: a word that unicode61 splits further matches as a phrase.
bool IsWordCharacter(uint32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
  if (c == 0xD7 || c == 0xF7) return false;
  return !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x303F) &&
         !(c >= 0xFF00 && c <= 0xFF0F) && !(c >= 0xFF1A && c <= 0xFF20) && c != 0xFFFD &&
         c < 0xE0000;
}

// Calls `word` with each run of word characters and `run` with the characters of each CJK run.
template <class Word, class Run>
void Cut(std::string_view text, Word&& word, Run&& run) {
  std::vector<std::string_view> cjk;
  size_t start = std::string_view::npos;
  auto end_word = [&](size_t at) {
    if (start != std::string_view::npos) word(text.substr(start, at - start));
    start = std::string_view::npos;
  };
  auto end_run = [&] {
    if (!cjk.empty()) run(cjk);
    cjk.clear();
  };
  for (size_t at = 0; at < text.size();) {
    Character c = At(text, at);
    if (IsCjk(c.code)) {
      end_word(at);
      cjk.push_back(text.substr(at, c.size));
    } else {
      end_run();
      if (!IsWordCharacter(c.code))
        end_word(at);
      else if (start == std::string_view::npos)
        start = at;
    }
    at += c.size;
  }
  end_word(text.size());
  end_run();
}

bool AsksWhen(std::string_view folded) {
  for (std::string_view start :
       {"when ",          "when's ",       "since when ",     "how long ",      "how often ",
        "what date ",     "what day ",     "what month ",     "what year ",     "what time ",
        "which date ",    "which day ",    "which month ",    "which year ",    "on what ",
        "in what month ", "in what year ", "in which month ", "in which year ", "until when "}) {
    if (folded.substr(0, start.size()) == start) return true;
  }
  return false;
}

bool IsYear(std::string_view word) {
  if (word.size() != 4 || (word.substr(0, 2) != "19" && word.substr(0, 2) != "20")) return false;
  return word[2] >= '0' && word[2] <= '9' && word[3] >= '0' && word[3] <= '9';
}

}  // namespace

Question ReadQuestion(std::string_view text, size_t max_words) {
  Question question;
  const std::string folded = base::FoldCase(base::Trim(text));
  question.asks_when = AsksWhen(folded);
  std::vector<std::string> all, content;
  std::unordered_set<std::string> seen;
  auto add = [&](std::string_view word, bool function_word) {
    if (!seen.insert(std::string(word)).second) return;
    all.emplace_back(word);
    if (!function_word) content.emplace_back(word);
  };
  Cut(
      folded, [&](std::string_view word) { add(word, IsFunctionWord(word)); },
      [&](const std::vector<std::string_view>& run) {
        if (run.size() == 1) add(run[0], false);
        for (size_t i = 0; i + 1 < run.size(); ++i)
          add(std::string(run[i]) + std::string(run[i + 1]), false);
      });
  std::unordered_set<std::string> covered;
  for (const std::string& word : content.empty() ? all : content) {
    if (question.words.size() == max_words) break;
    if (covered.count(word)) continue;  // another form of a word before
    const std::vector<std::string>& forms = IrregularForms(word);
    question.words.push_back({forms.empty() ? std::vector<std::string>{word} : forms});
    covered.insert(question.words.back().forms.begin(), question.words.back().forms.end());
  }
  return question;
}

MatchText AnyWordOf(const Question& question) {
  MatchText match;
  for (size_t i = 0; i < question.words.size(); ++i) {
    for (const std::string& form : question.words[i].forms) {
      if (!match.owner.empty()) match.expression += " OR ";
      match.expression += '"' + form + '"';  // a word has no quotes: it is cut at them
      match.owner.push_back(i);
    }
  }
  return match;
}

int64_t CountWords(std::string_view text) {
  int64_t count = 0;
  Cut(
      text, [&](std::string_view) { ++count; },
      [&](const std::vector<std::string_view>& run) { count += static_cast<int64_t>(run.size()); });
  return count;
}

int64_t MarksOf(std::string_view content) {
  int64_t marks = 0;
  std::string_view trimmed = base::Trim(content);
  if (trimmed.ends_with("?") || trimmed.ends_with("？")) marks |= kMarkQuestion;
  Cut(
      base::FoldCase(content),
      [&](std::string_view word) {
        if (IsTimeWord(word) || IsYear(word)) marks |= kMarkTime;
      },
      [](const std::vector<std::string_view>&) {});
  return marks;
}

std::string CjkGrams(std::string_view text) {
  std::string grams;
  auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), ascii)) return grams;  // most texts
  Cut(
      base::FoldCase(text), [](std::string_view) {},
      [&](const std::vector<std::string_view>& run) {
        for (size_t i = 0; i < run.size(); ++i) {
          for (size_t length = 1; length <= 2 && i + length <= run.size(); ++length) {
            if (!grams.empty()) grams += ' ';
            grams.append(run[i].data(), run[i].size());
            if (length == 2) grams += run[i + 1];
          }
        }
      });
  return grams;
}

TextFacts FactsOf(std::string_view title, std::string_view content) {
  TextFacts facts;
  facts.words = CountWords(content);
  facts.marks = MarksOf(content);
  facts.grams = CjkGrams(std::string(title) + ' ' + std::string(content));
  return facts;
}

}  // namespace memory
