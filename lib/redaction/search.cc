// One pass finds the keywords of all formats; an expression runs only around its own keyword. So
// the time is linear in the text, whatever the number of formats (ADR 46): 200 expressions over the
// whole text would take more time than a hook has.
#include "lib/redaction/search.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/redaction/assignments.h"
#include "lib/redaction/formats.h"
#include "lib/redaction/keywords.h"
#include "lib/redaction/values.h"

namespace redaction {
namespace {

constexpr size_t kWindow = 1024;      // bytes of an attempt; larger for a match up to its end
constexpr size_t kAttemptBytes = 32;  // budget of an attempt, in bytes of text
constexpr int kGenericRank = 1 << 20;

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// False after a letter or digit, unless it ends an escape such as \n or %3D.
bool BeginsWord(std::string_view text, size_t at) {
  if (at == 0 || !IsLetterOrDigit(text[at - 1])) return true;
  if (at >= 2 && text[at - 2] == '\\' &&
      std::string_view("nrt").find(text[at - 1]) != std::string_view::npos)
    return true;
  return at >= 3 && text[at - 3] == '%';
}

class Rule {
 public:
  Rule(const Format& format, int rank) : format_(format), rank_(rank) {}

  const Format& format() const { return format_; }

  // Searches a match around the keyword at `place`, from `from` on; returns its end, or 0.
  size_t TryAt(std::string_view text, size_t place, size_t from,
               std::vector<SecretSpan>& spans) const {
    const auto lead = static_cast<size_t>(std::max(format_.lead, 0));
    const size_t begin = std::max(from, place - std::min(place, lead));
    if (lead == 0 && format_.bound && !BeginsWord(text, place)) return 0;
    const auto anchor = lead == 0 ? RE2::ANCHOR_START : RE2::UNANCHORED;
    for (size_t window = kWindow;; window *= 4) {
      const size_t stop = std::min(text.size(), place + window);
      const size_t end = Search(text, begin, stop, anchor, spans);
      if (end < stop || stop == text.size()) return end;
      spans.pop_back();
    }
  }
  bool SearchAll(std::string_view text, base::WorkBudget& budget,
                 std::vector<SecretSpan>& spans) const {
    size_t at = 0;
    while (at < text.size()) {
      const size_t end = Search(text, at, text.size(), RE2::UNANCHORED, spans);
      if (!budget.Spend((end == 0 ? text.size() : end) - at)) return false;
      if (end == 0) break;
      at = end;
    }
    return true;
  }

 private:
  size_t Search(std::string_view text, size_t begin, size_t stop, RE2::Anchor anchor,
                std::vector<SecretSpan>& spans) const {
    std::call_once(once_, [this] {
      RE2::Options options;
      options.set_log_errors(false);
      options.set_max_mem(1 << 20);
      expression_ = std::make_unique<RE2>(format_.expression, options);
    });
    const int groups = std::min(expression_->NumberOfCapturingGroups(), 7) + 1;
    re2::StringPiece found[8];
    if (!expression_->Match({text.data(), text.size()}, begin, stop, anchor, found, groups))
      return 0;
    const auto* secret = &found[0];
    if (format_.group > 0 && format_.group < groups) secret = &found[format_.group];
    for (int i = 1; format_.group < 0 && i < groups && secret == &found[0]; ++i) {
      if (found[i].data() != nullptr && !found[i].empty()) secret = &found[i];
    }
    const auto at = static_cast<size_t>(secret->data() - text.data());
    const size_t end = at + secret->size();
    const std::string_view value = text.substr(at, secret->size());
    const bool weak = (format_.named && !LooksRandom(value)) ||
                      (format_.least_bits > 0 && EntropyOf(value) <= format_.least_bits);
    if (!weak && end > at) spans.push_back({at, end, rank_, format_.kind});
    return weak || end == at ? 0 : end;
  }

  const Format& format_;
  const int rank_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const RE2> expression_;
};

class Search {
 public:
  Search() : keywords_(Words()) {}

  bool Find(std::string_view text, base::WorkBudget& budget, std::vector<SecretSpan>& spans) const {
    if (!budget.Spend(text.size())) return false;
    std::vector<size_t> from(rules_.size());  // each rule's next position
    std::vector<bool> anywhere(rules_.size());
    size_t assigned = 0;
    keywords_.Find(text, [&](size_t word, size_t begin) {
      const auto [rule, length] = words_[word];
      if (rule < 0) {
        if (begin < assigned) return true;
        const auto found = AssignedTo(text, begin, begin + length, assigned);
        if (found) {
          spans.push_back(*found);
          spans.back().rank = kGenericRank;
          assigned = found->end;
        }
        return budget.Spend(kAttemptBytes);
      }
      const auto number = static_cast<size_t>(rule);
      if (rules_[number]->format().lead == kAnywhere) {
        anywhere[number] = true;
        return true;
      }
      if (begin < from[number]) return true;
      const size_t end = rules_[number]->TryAt(text, begin, from[number], spans);
      from[number] = std::max(from[number], end);
      return budget.Spend(kAttemptBytes);
    });
    for (size_t i = 0; i < rules_.size() && !budget.over(); ++i) {
      if (anywhere[i]) rules_[i]->SearchAll(text, budget, spans);
    }
    return !budget.over();
  }

 private:
  std::vector<std::string> Words() {
    std::vector<std::string> words;
    const auto add = [&](std::string word, int rule) {
      words_.emplace_back(rule, word.size());
      words.push_back(std::move(word));
    };
    for (const char* word : kNameWords) add(word, -1);
    for (const auto formats : {OwnFormats(), PublishedFormats()}) {
      for (const Format& format : formats) {
        const auto rule = static_cast<int>(rules_.size());
        rules_.push_back(std::make_unique<Rule>(format, rule));
        for (const std::string& word : base::Split(format.begins, '|')) add(word, rule);
      }
    }
    return words;
  }

  std::vector<std::unique_ptr<Rule>> rules_;
  std::vector<std::pair<int, size_t>> words_;  // rule (-1: a name word) and length
  const Keywords keywords_;
};

const Search& Shared() {
  static const Search& search = *new Search;
  return search;
}

}  // namespace

bool FindSecrets(std::string_view text, base::WorkBudget& budget, std::vector<SecretSpan>& spans) {
  return Shared().Find(text, budget, spans);
}

}  // namespace redaction
