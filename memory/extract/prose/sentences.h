// Splits prose into sentences, at marks of Latin and CJK writing and at line ends, but not inside
// abbreviations, numbers, names of files or quotes. Pure; linear in the text.
#pragma once

#include <string_view>
#include <vector>

namespace memory {

struct Sentence {
  std::string_view text;  // trimmed, without its end mark
  bool asks = false;      // ends with a question mark
  bool quoted = false;    // begins inside quotes
};

// `prose`: of ProseOf; the sentences point into it.
std::vector<Sentence> SentencesOf(std::string_view prose);

// Finds the end of the quote or `code` that begins at an offset: after its closing mark; the offset
// itself if none begins there, or if it does not end on its line. One finder reads one text,
// forward, in linear time.
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
