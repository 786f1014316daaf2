// Finds private keys in PEM and OpenPGP armour, also behind margins of a diff and with escaped line
// ends. Not RE2: an expression searches the end of each beginning anew, which is quadratic in a
// text of beginnings. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace redaction {

class KeyBlocks {
 public:
  // A block without its end line within so much has the end that its characters give it.
  static constexpr size_t kMostBytes = 64 << 10, kMostLines = 400;

  struct Span {
    size_t begin = 0, end = 0;
  };

  explicit KeyBlocks(std::string_view text) : text_(text) {}
  // The next block that begins at `from` or behind it; `from` never decreases. All calls together
  // read the text a fixed number of times.
  std::optional<Span> Next(size_t from);

 private:
  struct Lines {  // a place that only moves on, and how many lines are before it
    size_t at = 0, count = 0;
    size_t To(std::string_view text, size_t place);
  };
  std::optional<Span> Beheaded(size_t from, size_t until);
  std::optional<size_t> BehindLabel(size_t at) const;
  bool SeekEnd(size_t from);
  size_t EndOf(size_t head);

  const std::string_view text_;
  size_t next_end_ = 0;  // where the next end line is, or is to be looked for
  bool found_end_ = false;
  Span end_line_;         // the first one behind the last place that one was sought from
  bool no_more_ = false;  // there is none
  Lines to_head_, to_end_;
};

}  // namespace redaction
