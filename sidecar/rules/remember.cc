// Reads the beginning of a prompt phrase by phrase. Its time is that of the phrases, not of the
// prompt, but for the end of the text.
#include "sidecar/rules/remember.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/check.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

// The words by which people ask for a memory, in one language.
struct RememberForms {
  std::vector<std::string_view> openings;     // before a request: "please", "hey"
  std::vector<std::string_view> questions;    // openings that ask for it: "can you"
  std::vector<std::string_view> requests;     // "remember", "don't forget"
  std::vector<std::string_view> additions;    // behind a request: "this", "for next time"
  std::vector<std::string_view> connectives;  // before the text: "that", "to"
  std::vector<std::string_view> subjects;     // begin a text without a connective: "we", "I"
  std::vector<std::string_view> asking;       // begin a question: "what"
  std::vector<std::string_view> standing;     // begin the text itself: "from now on"
  std::vector<std::string_view> everywhere;   // for all projects: "everywhere"
};

// A list a line ("requests: a | b"), in lower case with single blanks; a line that begins with
// blanks goes on. Another language is another file and a line here. Longer phrases win over shorter
// ones.
constexpr std::string_view kFiles[] = {
#include "sidecar/rules/remember_english.txt"
    ,
#include "sidecar/rules/remember_french.txt"
    ,
#include "sidecar/rules/remember_german.txt"
    ,
#include "sidecar/rules/remember_spanish.txt"
};

constexpr std::pair<std::string_view, std::vector<std::string_view> RememberForms::*> kFormLists[] =
    {{"openings", &RememberForms::openings},       {"questions", &RememberForms::questions},
     {"requests", &RememberForms::requests},       {"additions", &RememberForms::additions},
     {"connectives", &RememberForms::connectives}, {"subjects", &RememberForms::subjects},
     {"asking", &RememberForms::asking},           {"standing", &RememberForms::standing},
     {"everywhere", &RememberForms::everywhere}};

RememberForms FormsOf(std::string_view file) {
  RememberForms forms;
  std::vector<std::string_view>* list = nullptr;
  while (!file.empty()) {
    const size_t end = std::min(file.find('\n'), file.size());
    std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.empty()) continue;
    if (line[0] != ' ') {
      const size_t colon = line.find(':');
      const auto found = std::ranges::find(kFormLists, line.substr(0, colon),
                                           [](const auto& named) { return named.first; });
      CHECK(colon != line.npos && found != std::end(kFormLists));
      list = &(forms.*found->second);
      line.remove_prefix(colon + 1);
    }
    for (size_t at = 0; at <= line.size();) {
      const size_t bar = std::min(line.find('|', at), line.size());
      const std::string_view phrase = base::Trim(line.substr(at, bar - at));
      if (!phrase.empty()) list->push_back(phrase);
      at = bar + 1;
    }
  }
  return forms;
}

// One for each file remember_*.txt.
std::span<const RememberForms> AllRememberForms() {
  static const std::vector<RememberForms> all = [] {
    std::vector<RememberForms> read;
    for (std::string_view file : kFiles) read.push_back(FormsOf(file));
    return read;
  }();
  return all;
}

constexpr size_t kTitleCharacters = 120;
constexpr size_t kBeginningCharacters = 200;  // hold all phrases before the text
constexpr int kMostOpenings = 4;

// A beginning of the prompt beside its folded form: phrases match without regard to case, width and
// the form of apostrophes.
class Beginning {
 public:
  explicit Beginning(std::string_view prompt) : rest_(base::Trim(prompt)) {}

  std::string_view rest() const { return rest_; }

  // Removes one of the phrases, the longest, and the blanks behind it.
  bool Take(std::span<const std::string_view> phrases) {
    size_t longest = 0;
    for (std::string_view phrase : phrases) longest = std::max(longest, BytesOf(phrase));
    Remove(longest);
    return longest > 0;
  }
  bool TakeAnyOf(std::string_view marks) {
    if (rest_.empty() || marks.find(rest_[0]) == std::string_view::npos) return false;
    Remove(1);
    return true;
  }
  // A hyphen or dash that stands alone.
  bool TakeDash() {
    for (std::string_view dash : {"- ", "\u2013 ", "\u2014 "})
      if (rest_.starts_with(dash)) return Remove(dash.size()), true;
    return false;
  }
  bool BeginsWith(std::span<const std::string_view> phrases) const {
    return std::ranges::any_of(phrases,
                               [&](std::string_view phrase) { return BytesOf(phrase) > 0; });
  }
  bool begins_line() const { return begins_line_; }

 private:
  // How many bytes of the rest are the phrase, as whole words; 0: none.
  size_t BytesOf(std::string_view phrase) const {
    const std::string_view head = base::Prefix(rest_, kBeginningCharacters);
    size_t at = 0;
    for (size_t i = 0; i < phrase.size();) {
      const size_t end = base::BorderAfter(phrase, i + 1);
      if (at >= head.size()) return 0;
      const size_t next = base::BorderAfter(head, at + 1);
      if (!IsSame(head.substr(at, next - at), phrase.substr(i, end - i))) return 0;
      at = next, i = end;
    }
    const bool ends = at == rest_.size() ||
                      std::string_view(" \t\r\n:,;.!?-").find(rest_[at]) != std::string_view::npos;
    return ends ? at : 0;
  }
  static bool IsSame(std::string_view character, std::string_view folded) {
    if (character == folded) return true;
    if (folded == "'") return character == "\u2019" || character == "\u02bc";
    return base::FoldCase(character) == folded;
  }
  void Remove(size_t bytes) {
    rest_.remove_prefix(bytes);
    const size_t blank = std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size());
    if (bytes > 0) begins_line_ = rest_.substr(0, blank).find('\n') != std::string_view::npos;
    rest_.remove_prefix(blank);
  }

  std::string_view rest_;
  bool begins_line_ = false;  // the rest is on a line below what was taken last
};

// The last line's last words name all projects.
bool EndsEverywhere(std::string_view text, const RememberForms& forms) {
  const std::string end = base::FoldCase(
      text.substr(base::BorderBefore(text, text.size() - std::min<size_t>(text.size(), 60))));
  std::string_view last = base::Trim(end);
  while (!last.empty() && std::string_view(".!)").find(last.back()) != std::string_view::npos)
    last.remove_suffix(1);
  return std::ranges::any_of(forms.everywhere, [&](std::string_view phrase) {
    return last.ends_with(" " + std::string(phrase)) || last.ends_with("(" + std::string(phrase));
  });
}

std::optional<ToRemember> AskedIn(std::string_view prompt, const RememberForms& forms) {
  Beginning begin(prompt);
  bool asks_for_it = false;
  for (int i = 0; i < kMostOpenings && !begin.BeginsWith(forms.requests); ++i) {
    const bool question = begin.Take(forms.questions);
    asks_for_it = asks_for_it || question;
    if (!question && !begin.Take(forms.openings)) break;
    begin.TakeAnyOf(",:!.") || begin.TakeDash();
  }
  ToRemember asked;
  if (begin.BeginsWith(forms.standing)) {
    asked.words = base::Trim(begin.rest());
    if (asked.words.ends_with('?')) return std::nullopt;
  } else {
    if (!begin.Take(forms.requests)) return std::nullopt;
    for (bool more = true; more;) {
      const bool everywhere = begin.Take(forms.everywhere);
      asked.everywhere = asked.everywhere || everywhere;
      more = everywhere || begin.Take(forms.additions);
    }
    const bool line = begin.begins_line();
    const bool colon = begin.TakeAnyOf(":") || begin.TakeDash();
    bool linked = colon || line;
    if (!colon) {
      linked = begin.TakeAnyOf(",") || linked;
      linked = begin.Take(forms.connectives) || linked || begin.BeginsWith(forms.subjects);
      linked = begin.TakeAnyOf(":") || linked;
    }
    if (!linked || (!colon && begin.BeginsWith(forms.asking))) return std::nullopt;
    std::string_view text = base::Trim(begin.rest());
    if (text.ends_with('?') && !colon) {
      if (!asks_for_it) return std::nullopt;
      text = base::Trim(text.substr(0, text.size() - 1));
    }
    asked.words = text;
  }
  if (asked.words.empty()) return std::nullopt;
  asked.everywhere = asked.everywhere || EndsEverywhere(asked.words, forms);
  asked.words = base::Prefix(asked.words, kMostRemembered);
  return asked;
}

}  // namespace

std::optional<ToRemember> AskedToRemember(std::string_view prompt) {
  for (const RememberForms& forms : AllRememberForms())
    if (auto asked = AskedIn(prompt, forms)) return asked;
  return std::nullopt;
}

Capture Remembered(const ToRemember& asked) {
  Capture capture;
  capture.rule = kRememberRule;
  capture.type = "preference";
  capture.scope = asked.everywhere ? "global" : "project";
  capture.title = base::Ellipsize(asked.words.substr(0, asked.words.find('\n')), kTitleCharacters);
  capture.content = asked.words;
  capture.trust = api::kOriginUser;
  capture.topic_key = "remember/" + api::NormalizedHash(asked.words).substr(0, 16);
  return capture;
}

}  // namespace sidecar
