// Reads clauses: a negation reaches to the end of its clause, or back to its begin in "is not
// used".
#include "memory/model/same_fact.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

#include "lib/base/text/identifier.h"
#include "lib/base/text/text.h"
#include "memory/model/told_apart.h"
#include "memory/model/word_lists.h"

namespace memory {
namespace {

constexpr uint8_t kAffirmed = 1, kNegated = 2, kFrom = 1, kTo = 2, kInPast = 1, kInPresent = 2;
constexpr size_t kFewestWords = 3;  // of the smaller memory
constexpr size_t kFewMoreWords = 3;
constexpr size_t kLongerAtMost = 3;    // times as many words
constexpr double kLeastInOrder = 0.6;  // share of the smaller memory's words

using WordList = std::unordered_set<std::string_view>;

WordList Listed(std::string_view list) {
  WordList words;
  while (!list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    words.insert(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

// Words that a retelling adds or drops. Not those that tell facts apart, such as before, above,
// until, more, must, may, all.
const WordList& SayLittle() {
  static const WordList words = Listed(
      "a an the this that these those it its he she they them their there here we us our ours you "
      "your i my me is are was were be been being am has have had do does did done will would of "
      "at in on for by with to from into as and or so if then than because since also too very "
      "just now next time way please note remember let lets s d ll re ve m t user users want "
      "wants wanted wish wishes decision decide decided decides agree agreed actually yes "
      "repository "
      "repo project ask asks asked say says said per each today yesterday currently "
      "der die das dem den des ein eine einen einem einer eines er sie es wir uns unser unsere "
      "unseren unserem unserer ihr ihre ich mir mich mein meine du dir dich dein deine man ist "
      "sind "
      "war waren sei wird werden wurde wurden hat haben hatte hatten will wollen möchte und oder "
      "so "
      "dann als wenn dass weil da denn auch sehr jetzt nun hier bei von vom zu zum zur im am "
      "an "
      "auf aus für mit um bitte nein benutzer nutzer entscheidung entschieden entscheiden ab pro "
      "je jede "
      "jeden jedem jeder heute gestern derzeit ja repo repository projekt daran dran");
  return words;
}
// In "X is not used" all of the clause is negated, not "used" alone.
const WordList& CarryNegations() {
  static const WordList words = Listed(
      "use used uses using allow allowed allows support supported supports need needed needs "
      "permit permitted benutzt benutzen benutze verwendet verwenden nutzt nutzen genutzt erlaubt "
      "unterstützt");
  return words;
}
const WordList& Contrasts() {  // what follows is the other one
  static const WordList words =
      Listed("instead rather against statt anstatt anstelle gegenüber gegen");
  return words;
}
const WordList& Forbids() {
  static const WordList words = Listed(
      "avoid avoids avoided avoiding forbid forbids forbidden prohibit prohibits prohibited ban "
      "bans banned disallow disallows disallowed vermeide vermeidet vermeiden verbiete verbietet "
      "verbieten verboten");
  return words;
}
const WordList& Prefers() {  // in their clause the words of kAfterPreferred contrast
  static const WordList words =
      Listed("prefer prefers preferred bevorzuge bevorzugt bevorzugen lieber eher");
  return words;
}
constexpr std::string_view kAfterPreferred[] = {"over", "to", "than", "als", "vor"};
constexpr std::string_view kOnly[] = {"only", "solely", "exclusively", "nur", "ausschließlich"};
constexpr std::string_view kJoins[] = {"and", "but", "while", "whereas", "und", "aber", "während"};
constexpr std::string_view kReasons[] = {"because", "since", "weil", "da", "denn", "damit"};
constexpr std::string_view kConditions[] = {"if",      "when",  "unless", "until", "while",
                                            "before",  "after", "wenn",   "falls", "sobald",
                                            "solange", "bis",   "vor",    "nach"};
constexpr std::string_view kPast[] = {"was", "were", "had", "war", "waren", "hatte", "hatten"};
constexpr std::string_view kPresent[] = {"is", "are", "has", "have", "ist", "sind", "hat", "haben"};
// What was decided holds: "we decided to drop it", "it was dropped".
constexpr std::string_view kDecided[] = {"decided", "agreed", "entschieden", "vereinbart"};
constexpr std::string_view kFromWords[] = {"from", "von", "vom", "aus"};
constexpr std::string_view kToWords[] = {"to", "into", "nach", "zu", "zum", "zur"};

bool EndsIn(std::string_view word, std::string_view end, size_t keeps) {
  return word.size() >= end.size() + keeps && word.ends_with(end);
}

// German: bevorzugt, schickt, rundet; no English word ends so.
bool EndsVerb(std::string_view word) {
  return word.ends_with("gt") || word.ends_with("kt") || word.ends_with("zt") ||
         word.ends_with("det");
}

// The same for regular forms of a word; no word of a language.
std::string StemOf(const std::string& folded) {
  if (const auto& forms = IrregularForms(folded); !forms.empty()) return forms.front();
  std::string_view stem = folded;
  const bool participle =
      stem.size() >= 7 && stem.starts_with("ge") && (stem.ends_with("t") || stem.ends_with("en"));
  if (participle) stem.remove_prefix(2);
  constexpr size_t kKept = 3;
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view end :
         {"ing", "ed", "en", "em", "er", "es", "et", "s", "e", "n", "t", "y", "i"}) {
      if (!EndsIn(stem, end, kKept)) continue;
      if (end.back() == 't' && !participle && !EndsVerb(stem)) continue;
      stem.remove_suffix(end.size());
      cut = true;
      break;
    }
    const size_t size = stem.size();
    if (cut && size > kKept && stem[size - 1] == stem[size - 2]) stem.remove_suffix(1);
  }
  return std::string(stem);
}

bool EndsClause(std::string_view between) {
  return between.find_first_of(",;:.!?()\n") != std::string_view::npos ||
         between.find("—") != std::string_view::npos || between.find("–") != std::string_view::npos;
}

// The signs before a token that tell facts apart: "<", "!=", "++", "€", and a minus.
std::string SignsIn(std::string_view between, std::string_view next) {
  constexpr std::string_view kSigns[] = {"<", ">", "=", "+", "#", "%", "$", "^",
                                         "~", "€", "£", "¥", "≤", "≥", "≠", "±"};
  std::string signs;
  for (size_t at = 0; at < between.size(); ++at) {
    const std::string_view rest = between.substr(at);
    const auto* const sign = std::ranges::find_if(
        kSigns, [&](std::string_view candidate) { return rest.starts_with(candidate); });
    if (rest.starts_with("!=")) signs += '!';
    if (sign != std::end(kSigns)) signs += *sign;
  }
  const bool minus = between.ends_with('-') && !next.empty() && next[0] >= '0' && next[0] <= '9';
  return minus ? signs + '-' : signs;
}

// "US" and "A" of "plan A", which say little as "us" and "a".
bool IsName(std::string_view token, bool begins_clause) {
  return token != "I" && !(begins_clause && token.size() == 1) &&
         std::ranges::all_of(token, [](char c) { return c >= 'A' && c <= 'Z'; });
}

uint8_t TensesOf(const std::string& folded) {
  const bool decided = base::IsOneOf(folded, kDecided);
  const bool past = decided || base::IsOneOf(folded, kPast);
  const bool present = decided || base::IsOneOf(folded, kPresent);
  return static_cast<uint8_t>((past ? kInPast : 0) | (present ? kInPresent : 0));
}

// "were blocked" is not "are blocked". A text with both tenses agrees with either.
bool TensesAgree(uint8_t left, uint8_t right) {
  return (left != kInPast || (right & kInPast) != 0) && (right != kInPast || (left & kInPast) != 0);
}

// A title that was made from the content adds nothing, and its last word may be cut.
std::string_view TitleOf(std::string_view title, std::string_view content) {
  constexpr std::string_view kCutOff = "…";
  const bool cut = title.ends_with(kCutOff);
  if (cut) title.remove_suffix(kCutOff.size());
  if (content.starts_with(title)) return {};
  return cut ? title.substr(0, std::min(title.rfind(' '), title.size())) : title;
}

size_t InOrder(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  std::vector<size_t> longest(right.size() + 1, 0);
  for (const std::string& word : left) {
    size_t before = 0;
    for (size_t at = 0; at < right.size(); ++at) {
      const size_t here = longest[at + 1];
      longest[at + 1] = word == right[at] ? before + 1 : std::max(longest[at + 1], longest[at]);
      before = here;
    }
  }
  return longest.back();
}

}  // namespace

// Reads clause by clause.
class SaidReader {
 public:
  explicit SaidReader(SaidFact& fact) : fact_(fact) {}
  void Read(std::string_view text) {
    const std::vector<std::string_view> tokens = base::Tokens(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const char* end = i == 0 ? text.data() : tokens[i - 1].data() + tokens[i - 1].size();
      const auto gap = static_cast<size_t>(tokens[i].data() - end);
      const std::string_view between(end, gap);
      ReadSigns(between, tokens[i]);
      if (EndsClause(between)) EndClause();
      if (between.find_first_of(".;!?\n") != std::string_view::npos) reason_ = false;
      Take(tokens[i], i + 1 < tokens.size() ? tokens[i + 1] : std::string_view());
    }
    if (!tokens.empty()) {
      const char* const end = tokens.back().data() + tokens.back().size();
      ReadSigns({end, static_cast<size_t>(text.data() + text.size() - end)}, {});
    }
    EndClause();
    reason_ = false;
  }
  // A title has words of the content in an order of its own; what it adds stands before them.
  void ReadTitle(std::string_view title) {
    SaidFact::Order content = std::move(fact_.order_);
    fact_.order_.clear();
    in_title_ = true;
    Read(title);
    std::erase_if(fact_.order_, [&](const std::string& stem) {
      return std::ranges::find(content, stem) != content.end();
    });
    std::ranges::move(content, std::back_inserter(fact_.order_));
    std::ranges::stable_sort(fact_.words_, {}, [&](const SaidFact::Word& word) {
      return std::ranges::find(fact_.order_.rbegin(), fact_.order_.rend(), word.stem).base() -
             fact_.order_.begin();
    });
  }

 private:
  struct Token {
    SaidFact::Word word;
    bool negated = false;
  };
  // A title repeats some of the content's.
  void ReadSigns(std::string_view between, std::string_view next) {
    const std::string signs = SignsIn(between, next);
    if (!in_title_ && !signs.empty()) fact_.signs_ += signs + " ";
  }
  void Take(std::string_view token, std::string_view next) {
    const std::string folded = base::FoldCase(token);
    const std::string telling = TellingWordOf(token, next);
    const bool begins_clause = std::exchange(begins_clause_, false);
    prefers_ = prefers_ || Prefers().contains(folded);
    if (telling == "not" || Contrasts().contains(folded) || Forbids().contains(folded) ||
        (prefers_ && base::IsOneOf(folded, kAfterPreferred))) {
      negation_ = true;
      return;
    }
    reason_ = reason_ || base::IsOneOf(folded, kReasons);
    fact_.conditional_ = fact_.conditional_ || base::IsOneOf(folded, kConditions);
    if (!reason_) fact_.tenses_ |= TensesOf(folded);
    if (base::IsOneOf(folded, kJoins)) NextPart();
    if (!telling.empty() || !SayLittle().contains(folded) || IsName(token, begins_clause))
      Add(folded, telling);
    if (base::IsOneOf(folded, kFromWords)) direction_ = kFrom;
    if (base::IsOneOf(folded, kToWords)) direction_ = kTo;
  }
  void Add(const std::string& folded, const std::string& telling) {
    SaidFact::Word word;
    word.stem = telling.empty() ? StemOf(folded) : telling;
    word.telling = !telling.empty();
    word.carries = CarryNegations().contains(folded);
    const bool only = base::IsOneOf(folded, kOnly);
    if (only) word.stem = kOnly[0];
    word.weighs = reason_ || only;
    word.parts = part_;
    word.direction = std::exchange(direction_, uint8_t{0});
    clause_.push_back({std::move(word), negation_});
  }
  void EndClause() {
    const auto is_object = [](const Token& token) { return token.negated && !token.word.carries; };
    const bool all = negation_ && std::ranges::none_of(clause_, is_object);
    for (Token& token : clause_) {
      token.word.polarity = token.word.carries ? 0 : token.negated || all ? kNegated : kAffirmed;
      Keep(std::move(token.word));
    }
    if (!clause_.empty()) NextPart();
    clause_.clear();
    negation_ = prefers_ = false;
    begins_clause_ = true;
    direction_ = 0;
  }
  void NextPart() { part_ = std::max(part_, part_ << 1); }  // the last one has the rest
  void Keep(SaidFact::Word word) {
    if (fact_.order_.size() > SaidFact::kMostInOrder || fact_.words_.size() > SaidFact::kMostWords)
      return;  // not comparable
    fact_.order_.push_back(word.stem);
    auto& words = fact_.words_;
    const auto known =
        std::ranges::find(words, word.stem, [](const auto& other) { return other.stem; });
    if (known != words.end()) {
      word.polarity |= known->polarity;
      word.direction |= known->direction;
      // A title repeats words of several parts.
      word.parts = in_title_ ? known->parts : word.parts | known->parts;
      words.erase(known);
    }
    words.push_back(std::move(word));
  }

  SaidFact& fact_;
  std::vector<Token> clause_;
  bool negation_ = false, prefers_ = false, reason_ = false;
  bool begins_clause_ = true, in_title_ = false;
  uint8_t direction_ = 0;
  uint64_t part_ = 1;  // bit
};

SaidFact::SaidFact(std::string_view title, std::string_view content) {
  if (title.size() + content.size() > kMostBytes) return;
  SaidReader reader(*this);
  reader.Read(content);
  reader.ReadTitle(TitleOf(title, content));
  comparable_ =
      order_.size() <= kMostInOrder && words_.size() <= kMostWords && words_.size() >= kFewestWords;
}

const SaidFact::Word* SaidFact::Find(std::string_view stem) const {
  const auto found =
      std::ranges::find(words_, stem, [](const Word& word) { return std::string_view(word.stem); });
  return found == words_.end() ? nullptr : &*found;
}

// "Anna owns billing, Ben owns search" does not say that Ben owns billing.
bool SaidFact::MixesPartsOf(const SaidFact& larger) const {
  uint64_t taken = 0, left = 0;
  for (const Word& word : larger.words_) {
    if (word.carries) continue;
    if (Find(word.stem) == nullptr)
      left |= word.parts;
    else if (std::has_single_bit(word.parts))
      taken |= word.parts;
  }
  return std::popcount(taken & left) > 1;
}

bool SaidFact::IsWithin(const SaidFact& larger) const {
  const auto agree = [](uint8_t left, uint8_t right) {
    return left == 0 || right == 0 || (left & right) != 0;
  };
  std::vector<std::string> order, telling;
  for (const Word& word : words_) {
    if (word.carries) continue;
    const Word* other = larger.Find(word.stem);
    if (other == nullptr || !agree(word.polarity, other->polarity) ||
        !agree(word.direction, other->direction))
      return false;
    order.push_back(word.stem);
    if (word.telling) telling.push_back(word.stem);
  }
  if (order.size() + 1 < kFewestWords) return false;  // "used" says nothing alone
  const auto least = kLeastInOrder * static_cast<double>(order.size());
  return !MixesPartsOf(larger) && InOrder(telling, larger.order_) == telling.size() &&
         static_cast<double>(InOrder(order, larger.order_)) >= least;
}

Saying CompareSaid(const SaidFact& earlier, const SaidFact& later) {
  if (!earlier.comparable_ || !later.comparable_) return Saying::kOther;
  const size_t fewer = std::min(earlier.words_.size(), later.words_.size());
  if (std::max(earlier.words_.size(), later.words_.size()) > kLongerAtMost * fewer)
    return Saying::kOther;
  if (earlier.conditional_ != later.conditional_ || earlier.signs_ != later.signs_ ||
      !TensesAgree(earlier.tenses_, later.tenses_))
    return Saying::kOther;
  if (later.IsWithin(earlier)) return Saying::kWithin;
  if (!earlier.IsWithin(later)) return Saying::kOther;
  size_t more = 0;
  bool adds = false;
  for (const SaidFact::Word& word : later.words_) {
    if (word.carries || earlier.Find(word.stem) != nullptr) continue;
    adds = adds || word.telling || word.weighs;
    ++more;
  }
  return !adds && more <= kFewMoreWords ? Saying::kReworded : Saying::kMore;
}

}  // namespace memory
