// Splits queries into words (retrieval: "The recommended ranker", step 1).
#include "memory/model/words.h"

#include <algorithm>
#include <unordered_set>

#include "lib/base/text/text.h"
#include "memory/model/terms.h"
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

constexpr size_t kLongestWhen = 24;

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

bool AsksHowMany(std::string_view folded) {
  for (std::string_view words : {"how many", "how much", "how long", "how old", "how often"})
    if (folded.find(words) != std::string_view::npos) return true;
  return false;
}

bool IsYear(std::string_view word) {
  if (word.size() != 4 || (word.substr(0, 2) != "19" && word.substr(0, 2) != "20")) return false;
  return word[2] >= '0' && word[2] <= '9' && word[3] >= '0' && word[3] <= '9';
}

}  // namespace

namespace {

constexpr double kPartWeight = 0.25;

bool IsLetters(std::string_view word) {
  return std::none_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A word whose stem Porter's rules keep apart from that of `word`: they make deploi of "deploy" and
// "deployed", but deploy of "deployment". Else "".
std::string OtherStem(std::string_view word) {
  std::string_view base = word;
  for (std::string_view end : {"s", "ment", "ed", "ing"})
    if (base.size() > end.size() + 2 && base.ends_with(end)) base.remove_suffix(end.size());
  const size_t size = base.size();
  if (size < 3 || base[size - 1] != 'y') return {};
  if (std::string_view("aeo").find(base[size - 2]) == std::string_view::npos) return {};
  const bool noun = word.substr(size).starts_with("ment");
  return std::string(base) + (noun ? "" : "ment");
}

std::vector<std::string> FormsOf(const std::string& word) {
  std::vector<std::string> forms = IrregularForms(word);
  if (forms.empty()) forms.push_back(word);
  if (std::string other = OtherStem(word); !other.empty()) forms.push_back(std::move(other));
  return forms;
}

// utf8 and utf-8.
void AddNumbered(const CutToken& token, std::vector<std::string>& forms) {
  if (token.words.size() == 2 && token.text.find('-') != std::string::npos &&
      IsLetters(token.words[0].term) && !IsLetters(token.words[1].term)) {
    forms.push_back(token.words[0].term + token.words[1].term);
  }
  if (token.words.size() != 1) return;
  const std::string& word = token.words[0].term;
  const size_t letters = static_cast<size_t>(
      std::find_if(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }) -
      word.begin());
  const bool digits =
      letters < word.size() && word.find_first_not_of("0123456789", letters) == std::string::npos;
  if (letters > 0 && digits)
    forms.push_back(TermOf(word.substr(0, letters) + kJoint + word.substr(letters)));
}

class QuestionReader {
 public:
  QuestionReader(size_t max_words, Rows rows) : max_words_(max_words), rows_(rows) {}
  std::vector<QuestionWord> Read(std::string_view text) {
    const std::vector<CutToken> tokens = CutText(text);
    for (const CutToken& token : tokens) {
      has_prose_ = has_prose_ || HasProse(token);
      has_words_ = has_words_ || has_prose_ || token.identifier;
    }
    for (const CutToken& token : tokens) {
      if (found_.size() >= max_words_) break;
      Take(token);
    }
    if (found_.size() > max_words_) found_.resize(max_words_);
    return std::move(found_);
  }

 private:
  static bool HasProse(const CutToken& token) {
    if (token.identifier) return false;
    return !token.grams.empty() ||
           std::any_of(token.words.begin(), token.words.end(),
                       [](const CutWord& word) { return !IsFunctionWord(word.term); });
  }
  void Take(const CutToken& token) {
    const size_t first = found_.size();
    if (token.grams.size() == 1) Add({token.grams[0]});
    for (size_t i = 1; i < token.grams.size(); i += 2) Add({token.grams[i]});
    if (token.identifier && (!token.wholes.empty() || token.words.size() == 1))
      TakeIdentifier(token);
    else
      for (const CutWord& word : token.words) TakeWord(word);
    if (rows_ == Rows::kSomeUncut && found_.size() > first)
      found_[first].forms.push_back(base::FoldCase(token.text));
  }
  void TakeIdentifier(const CutToken& token) {
    std::vector<std::string> forms;
    if (token.words.size() == 1) forms.push_back(token.words[0].term);
    // The first term is of all words; a second one of as many differs by its humps only.
    for (size_t i = 0; i < token.wholes.size() && i < WholeForms(token); ++i)
      forms.push_back(token.wholes[i]);
    AddNumbered(token, forms);
    Add(std::move(forms));
    if (!has_prose_ || !IsLetters(token.text)) return;
    for (const CutWord& word : token.words) AddPart(word.term);
  }
  static size_t WholeForms(const CutToken& token) {
    const bool humped = std::any_of(token.words.begin(), token.words.end(),
                                    [](const CutWord& word) { return !word.humps.empty(); });
    return humped ? 2 : 1;
  }
  void TakeWord(const CutWord& word) {
    if (has_words_ && IsFunctionWord(word.term)) return;
    Add(FormsOf(word.term));
    for (const std::string& hump : word.humps) AddPart(hump);
  }
  void AddPart(const std::string& part) {
    if (!IsFunctionWord(part)) Add({part}, kPartWeight);
  }
  void Add(std::vector<std::string> forms, double weight = 1) {
    if (forms[0].empty() || !known_.insert(forms[0]).second) return;  // marks alone
    known_.insert(forms.begin(), forms.end());
    found_.push_back({std::move(forms), weight});
  }

  const size_t max_words_;
  const Rows rows_;
  bool has_prose_ = false, has_words_ = false;  // prose: words that are no identifiers
  std::vector<QuestionWord> found_;
  std::unordered_set<std::string> known_;
};

}  // namespace

Question ReadQuestion(std::string_view text, size_t max_words, Rows rows) {
  Question question;
  text = base::Trim(text);
  question.asks_when = AsksWhen(base::FoldCase(base::Prefix(text, kLongestWhen)));
  question.asks_how_many = AsksHowMany(base::FoldCase(text));
  question.words = QuestionReader(max_words, rows).Read(text);
  return question;
}

std::vector<double> WeightsOf(const Question& question) {
  std::vector<double> weights;
  for (const QuestionWord& word : question.words) weights.push_back(word.weight);
  return weights;
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

int64_t FlagsOf(std::string_view content) {
  int64_t flags = 0;
  std::string_view trimmed = base::Trim(content);
  if (trimmed.ends_with("?") || trimmed.ends_with("？")) flags |= kFlagQuestion;
  if (content.find('?') != content.npos || content.find("？") != content.npos) flags |= kFlagAsks;
  Cut(
      base::FoldCase(content),
      [&](std::string_view word) {
        if (IsTimeWord(word) || IsYear(word)) flags |= kFlagTime;
        if (!IsLetters(word) || IsNumberWord(word)) flags |= kFlagNumber;
      },
      [](const std::vector<std::string_view>&) {});
  return flags;
}

std::string FormerGrams(std::string_view text) {
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

// FTS5 takes the letter of an escape ("\\n") for one of the word behind it.
std::string WithTags(const std::string& grams, std::string_view tags) {
  std::string plain;
  for (size_t i = 0; i < tags.size(); ++i) {
    const bool escape = tags[i] == '\\' && i + 1 < tags.size();
    if (escape) ++i;
    const bool letter = escape && tags[i] >= 'a' && tags[i] <= 'z';
    if (escape && tags[i] == 'u') i += 4;
    plain += letter ? ' ' : tags[i];
  }
  const bool same = plain.size() == tags.size();
  const std::string more = AddedTerms(plain, same ? Indexed::kAsItIs : Indexed::kOtherwise);
  return grams.empty() || more.empty() ? grams + more : grams + ' ' + more;
}

TextFacts FactsOf(std::string_view title, std::string_view content) {
  TextFacts facts;
  facts.words = CountWords(content);
  facts.flags = FlagsOf(content);
  facts.grams = AddedTerms(std::string(title) + ' ' + std::string(content));
  return facts;
}

}  // namespace memory
