// One pass over the bytes; only words that are not ASCII are folded by tables.
#include "memory/extract/prose/words.h"

#include <array>
#include <utility>

#include "lib/base/text/text.h"
#include "memory/extract/prose/sentences.h"

namespace memory {
namespace {

constexpr std::string_view kCurled = "’";

// Signs that belong to a word between letters: don't, Jean-Luc, config.yaml, C++, 3:30, a/b.
bool Joins(char c) {
  return c == '\'' || c == '-' || c == '.' || c == '_' || c == '+' || c == '#' || c == ':' ||
         c == '/' || c == '@' || c == '&' || c == '%' || c == '*';
}

struct Contraction {
  std::string_view ending, word;
};
constexpr Contraction kContractions[] = {{"'m", "am"},   {"'ve", "have"}, {"'ll", "will"},
                                         {"'re", "are"}, {"'d", "would"}, {"'s", "'s"}};

// A contraction as often written without its apostrophe; `letters`: of its second word.
struct Slip {
  std::string_view written, word;
  size_t letters;
};
constexpr Slip kSlips[] = {
    {"im", "am", 1}, {"ive", "have", 2}, {"theyre", "are", 2}, {"thats", "'s", 1}};

std::string Folded(std::string_view word) {
  std::string folded = base::FoldCase(word);
  for (size_t at = folded.find(kCurled); at != std::string::npos; at = folded.find(kCurled, at))
    folded.replace(at, kCurled.size(), "'");
  return folded;
}

// Adds the word, in two when it is a contraction.
void AddWord(std::string_view text, size_t begin, size_t end, std::vector<Word>& words) {
  const std::string folded = Folded(text.substr(begin, end - begin));
  const bool capital = text[begin] >= 'A' && text[begin] <= 'Z';
  const auto add_two = [&](size_t letters, std::string_view second) {
    const std::string first = folded.substr(0, folded.size() - letters);
    // The curled apostrophe is longer than the straight one.
    size_t border = end - letters;
    if (letters > 1 && text.substr(0, end).substr(begin).find(kCurled) != std::string_view::npos)
      border -= kCurled.size() - 1;
    words.push_back({first, begin, border, 0, capital});
    words.push_back({std::string(second), border, end, 0, false});
  };
  for (const Slip& slip : kSlips) {
    if (folded == slip.written) return add_two(slip.letters, slip.word);
  }
  for (const Contraction& contraction : kContractions) {
    if (folded.size() > contraction.ending.size() && folded.ends_with(contraction.ending))
      return add_two(contraction.ending.size(), contraction.word);
  }
  words.push_back({folded, begin, end, 0, capital});
}

// The mark between two words. A hyphen is a dash only beside a blank, or when it is long.
char MarkOf(std::string_view between) {
  for (const std::string_view dash : {"—", "–", " -", "- ", "--"}) {
    if (between.find(dash) != std::string_view::npos) return '-';
  }
  for (const char mark : {';', ':', ',', '(', ')'}) {
    if (between.find(mark) != std::string_view::npos) return mark;
  }
  return between.find("...") != std::string_view::npos ||
                 between.find("…") != std::string_view::npos
             ? ';'
             : 0;
}

bool IsLetterByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::vector<Word> WordsOf(std::string_view sentence) {
  std::vector<Word> words;
  QuoteFinder quotes(sentence);
  const auto letter = [&](size_t at) {
    if (!IsLetterByte(sentence[at])) return false;
    // Dashes, dots, quotes and pictures are no letters: U+2000…U+2BFF, U+3000…U+303F, U+1Fxxx.
    const std::string_view rest = sentence.substr(at);
    if (rest.starts_with(kCurled)) return true;
    const auto lead = static_cast<unsigned char>(rest[0]);
    const auto second = static_cast<unsigned char>(rest.size() > 1 ? rest[1] : 0);
    return !(lead == 0xE2 && second < 0xB0) && !(lead == 0xE3 && second == 0x80) && lead != 0xF0 &&
           lead != 0xC2;
  };
  size_t last_end = 0;  // the last word's end
  const auto end_gap = [&](size_t at) {
    if (!words.empty()) words.back().mark = MarkOf(sentence.substr(last_end, at - last_end));
  };
  for (size_t at = 0; at < sentence.size() && words.size() < kMaxWords;) {
    if (const size_t end = quotes.EndOf(at); end > at) {
      end_gap(at);
      words.push_back({"", at, end, 0, false});
      at = last_end = end;
      continue;
    }
    if (!letter(at)) {
      at = base::BorderAfter(sentence, at + 1);
      continue;
    }
    end_gap(at);
    const size_t begin = at;
    while (at < sentence.size() &&
           (letter(at) || (Joins(sentence[at]) && at + 1 < sentence.size() && letter(at + 1)) ||
            ((sentence[at] == '+' || sentence[at] == '#' || sentence[at] == '%') && at > begin)))
      at = base::BorderAfter(sentence, at + 1);
    AddWord(sentence, begin, at, words);
    last_end = at;
  }
  if (last_end < sentence.size() && words.size() < kMaxWords) end_gap(sentence.size());
  return words;
}

}  // namespace memory
