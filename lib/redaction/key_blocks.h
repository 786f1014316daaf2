// Finds private keys in PEM and OpenPGP armor, also inside diffs and with escaped line ends. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace redaction {

class KeyBlocks {
 public:
  // A block without an end line within these limits ends at the first character that is in no key.
  static constexpr size_t kMostBytes = 64 << 10, kMostLines = 400;

  struct Span {
    size_t begin = 0, end = 0;
  };

  explicit KeyBlocks(std::string_view text) : text_(text) {}
  // The next block from `from` on; `from` must not decrease. All calls together read the text a
  // constant number of times.
  std::optional<Span> Next(size_t from);

 private:
  struct Lines {  // a position that only increases, and the line ends before it
    size_t at = 0, count = 0;
    size_t To(std::string_view text, size_t place);
  };
  std::optional<Span> Beheaded(size_t from, size_t until);
  std::optional<size_t> AfterLabel(size_t at) const;
  bool FindEnd(size_t from);
  size_t EndOf(size_t head);

  const std::string_view text_;
  size_t next_end_ = 0;  // the next "-----END ", or the position to search from
  bool found_end_ = false;
  Span end_line_;         // the last result of FindEnd
  bool no_more_ = false;  // the text has no further end line
  Lines to_head_, to_end_;
};

}  // namespace redaction
