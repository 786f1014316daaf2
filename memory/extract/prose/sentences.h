// A text's sentences: ends at marks of Latin and CJK writing and at line ends, not in
// abbreviations, numbers, names of files or quotes. Pure; linear in the text.
#pragma once

#include <string_view>
#include <vector>

namespace memory {

struct Sentence {
  std::string_view text;  // trimmed, without its end mark
  bool asks = false;      // ended by a question mark
  bool quoted = false;    // begins inside quotes
};

// Of prose as ProseOf makes it. The views are into `prose`.
std::vector<Sentence> SentencesOf(std::string_view prose);

// Offsets behind the closing mark of the quote or `code` that begins at `at`; `at` when none does,
// or when it does not end on its line. One finder reads one text, forward, in linear time.
class QuoteFinder {
 public:
  explicit QuoteFinder(std::string_view text) : text_(text) {}
  size_t EndOf(size_t at);

 private:
  static constexpr size_t kKinds = 8;
  std::string_view text_;
  size_t next_[kKinds] = {};  // where the closing mark of a kind is next
  size_t line_end_ = 0;
};

}  // namespace memory
