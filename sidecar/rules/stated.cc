// Forms are split once. Matching goes back over at most eight words a gap, and a form has few gaps.
#include "sidecar/rules/stated.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "sidecar/rules/stated_languages.h"
#include "sidecar/rules/stated_words.h"

namespace sidecar {
namespace {

constexpr size_t kMostGap = 8, kMostSteps = 4'000;  // words; of matching one sentence with one form
constexpr size_t kLeastWords = 3;                   // of a sentence that states something
constexpr size_t kShortPrompt = 400, kStatedTitle = 120;

using Words = std::vector<StatedWord>;
using Set = std::unordered_set<std::string>;

Set SetOf(std::string_view words) {
  Set set;
  for (std::string& word : base::Split(base::FoldCase(words), ' '))
    if (!word.empty()) set.insert(std::move(word));
  return set;
}

struct Element {
  Set words;
  std::vector<std::string> beginnings;
  bool optional = false;
  size_t least = 1, most = 1;  // of a gap: any words

  bool Has(const std::string& word) const {
    if (words.contains(word)) return true;
    return std::ranges::any_of(beginnings,
                               [&](const std::string& begin) { return word.starts_with(begin); });
  }
};

struct Form {
  const StatedForm* row;
  bool anywhere = false;
  std::vector<Element> elements;
  bool BeginsWithGap() const { return elements[0].most > 1; }
};

class Language {
 public:
  explicit Language(StatedLanguage language)
      : capitals_(language.capitals),
        denials_(SetOf(language.denials)),
        questions_(SetOf(language.questions)),
        supposes_(SetOf(language.supposes)),
        pointers_(SetOf(language.pointers)),
        troubles_(SetOf(language.troubles)),
        locals_(SetOf(language.locals)),
        values_(SetOf(language.values)),
        reasons_(SetOf(language.reasons)),
        marks_(SetOf(language.marks)) {
    for (const std::string& opening : base::Split(base::FoldCase(language.openings), ' '))
      openings_.push_back(base::Split(opening, '_'));
    for (const StatedForm& row : language.forms) forms_.push_back(Read(row, language.lists));
  }

  // `corrects`: the sentence before was a denial alone.
  const StatedForm* Find(const StatedSentence& sentence, bool corrects) const {
    const Words& words = sentence.words;
    if (sentence.asks || words.size() < kLeastWords) return nullptr;
    size_t first = 0;
    for (size_t more = 1; more > 0; first += more) {
      corrects |= denials_.contains(words[first].folded);
      more = OpeningAt(words, first);
    }
    const std::string& begin = words[first].folded;
    if (supposes_.contains(begin) || (!corrects && questions_.contains(begin))) return nullptr;
    for (const Form& form : forms_)
      for (size_t at = first + 1; at-- > 0;)
        if ((at == first || !form.BeginsWithGap()) && Fits(form, words, at, corrects))
          return form.row;
    return nullptr;
  }
  size_t Marks(const StatedSentence& sentence) const {
    return static_cast<size_t>(std::ranges::count_if(
        sentence.words, [&](const StatedWord& word) { return marks_.contains(word.folded); }));
  }
  bool IsDenial(const StatedSentence& sentence) const {
    return sentence.words.size() <= 4 && denials_.contains(sentence.words[0].folded);
  }

 private:
  // The words of the longest opening that begins there and leaves a word behind it.
  size_t OpeningAt(const Words& words, size_t at) const {
    size_t longest = 0;
    for (const auto& opening : openings_) {
      size_t same = 0;
      while (same < opening.size() && at + same + 1 < words.size() &&
             words[at + same].folded == opening[same])
        ++same;
      if (same == opening.size()) longest = std::max(longest, same);
    }
    return longest;
  }

  static Form Read(const StatedForm& row, std::span<const StatedList> lists) {
    Form form{&row, false, {}};
    for (std::string text : base::Split(base::FoldCase(row.words), ' ')) {
      if (text.empty()) continue;
      if (text[0] == '~') form.anywhere = true, text.erase(0, 1);
      Element element;
      if (text[0] == '?') element.optional = true, text.erase(0, 1);
      if (text == "*" || text == "+") {
        element.least = text == "+" ? 1 : 0;
        element.most = kMostGap;
      } else {
        for (const std::string& word : base::Split(text, '|')) AddWord(word, lists, element);
      }
      form.elements.push_back(std::move(element));
    }
    return form;
  }
  static void AddWord(const std::string& word, std::span<const StatedList> lists,
                      Element& element) {
    if (word.ends_with('*')) element.beginnings.push_back(word.substr(0, word.size() - 1));
    if (!word.starts_with('#')) {
      element.words.insert(word);
      return;
    }
    for (const StatedList& list : lists)
      if (list.name == std::string_view(word).substr(1)) element.words.merge(SetOf(list.words));
  }

  bool Fits(const Form& form, const Words& words, size_t at, bool corrects) const {
    const unsigned needs = form.row->needs;
    if ((needs & kCorrects) != 0 && !corrects) return false;
    const auto any = [&](const Set& set) {
      return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(),
                         [&](const StatedWord& word) { return set.contains(word.folded); });
    };
    if ((needs & kMayTrouble) == 0 && any(troubles_)) return false;
    if ((needs & kReason) != 0 && !any(reasons_)) return false;
    if ((needs & kValue) != 0 && !HasValue(words, at)) return false;
    if ((needs & kGeneral) != 0 && any(pointers_)) return false;
    size_t steps = 0;
    do {
      if (Matches(form, 0, words, at, steps)) return true;
    } while (form.anywhere && ++at < words.size());
    return false;
  }

  bool HasValue(const Words& words, size_t at) const {
    return std::any_of(
        words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), [&](const StatedWord& word) {
          return word.value || (capitals_ && word.capital) || values_.contains(word.folded);
        });
  }

  // From the element on, words from `at` on. A form need not reach the end of the sentence.
  bool Matches(const Form& form, size_t number, const Words& words, size_t at,
               size_t& steps) const {
    if (++steps > kMostSteps) return false;
    if (number == form.elements.size()) return true;
    const Element& element = form.elements[number];
    if (element.most > 1) {
      const size_t most = std::min(element.most, words.size() - at);
      const bool points = (form.row->needs & kNoPointer) != 0 && at < words.size() &&
                          pointers_.contains(words[at].folded);
      if (points && number > 0 && number + 1 == form.elements.size()) return false;
      for (size_t taken = element.least; taken <= most; ++taken) {
        // The subject of a statement ends before a comma.
        const bool subject =
            (form.row->needs & kNoPointer) != 0 && taken > 0 && number + 1 < form.elements.size();
        if (subject && words[at + taken - 1].folded == ",") break;
        // "that is …", not "that table is …"; "the failing test is …"
        if (subject && points && number == 0 && taken == 1) continue;
        if (subject && locals_.contains(words[at + taken - 1].folded)) continue;
        // The value of a statement stands behind its subject.
        if (number == 0 && (form.row->needs & kValue) != 0 && !HasValue(words, at + taken)) break;
        if (Matches(form, number + 1, words, at + taken, steps)) return true;
      }
      return false;
    }
    if (at < words.size() && element.Has(words[at].folded) &&
        Matches(form, number + 1, words, at + 1, steps))
      return true;
    return element.optional && Matches(form, number + 1, words, at, steps);
  }

  std::vector<Form> forms_;
  std::vector<std::vector<std::string>> openings_;
  const bool capitals_;
  const Set denials_, questions_, supposes_, pointers_, troubles_, locals_, values_, reasons_,
      marks_;
};

const std::array<Language, 2>& Languages() {
  static const std::array<Language, 2> languages = {Language(EnglishStated()),
                                                    Language(GermanStated())};
  return languages;
}

}  // namespace

std::optional<Stated> StatedIn(std::string_view prompt) {
  prompt =
      prompt.substr(0, base::BorderBefore(prompt, std::min(prompt.size(), kMostReadOfAPrompt)));
  std::optional<Stated> stated;
  bool corrects = false;
  for (const StatedSentence& sentence : SentencesOf(prompt)) {
    const StatedForm* form = nullptr;
    bool denies = false;
    size_t most = 0;
    for (const Language& language : Languages()) most = std::max(most, language.Marks(sentence));
    for (const Language& language : Languages()) {
      if (!form && language.Marks(sentence) == most) form = language.Find(sentence, corrects);
      denies |= language.IsDenial(sentence);
    }
    corrects = denies;
    if (!form) continue;
    const std::string text = std::string(sentence.text) + ".";
    if (!stated) stated = Stated{form->kind, base::CollapseWhitespace(text), form->words, ""};
    if (form->kind < stated->kind) stated->kind = form->kind;
    stated->words += (stated->words.empty() ? "" : " ") + text;
  }
  if (!stated) return stated;
  stated->title = base::Ellipsize(stated->title, kStatedTitle);
  const std::string_view whole = base::Trim(prompt);
  if (base::CountCharacters(whole) <= kShortPrompt && whole.find("```") == std::string_view::npos)
    stated->words = whole;
  stated->words = base::Ellipsize(stated->words, kMostStated);
  return stated;
}

Capture StatedMemory(const Stated& stated) {
  constexpr const char* kTypes[] = {"decision", "convention", "preference", "fact"};
  Capture capture;
  capture.rule = kStatedRule;
  capture.type = kTypes[static_cast<size_t>(stated.kind)];
  capture.scope = "project";
  capture.title = stated.title;
  capture.content = stated.words;
  capture.trust = api::kOriginUser;
  capture.topic_key = "stated/" + api::NormalizedHash(stated.words).substr(0, 16);
  return capture;
}

}  // namespace sidecar
