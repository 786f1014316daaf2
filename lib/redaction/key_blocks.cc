// Why no regular expression: it would search the END of each BEGIN from there, which is quadratic
// in a text of BEGINs (128 KiB took 8 s, ADR 38, and hooks are synchronous). This walk remembers
// the next END for all BEGINs before it, and so reads the text a constant number of times. A key
// without its BEGIN, which a tool's output may have cut off, is found by its END.
#include "lib/redaction/key_blocks.h"

#include <algorithm>

namespace redaction {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
constexpr std::string_view kLabel = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ";
constexpr size_t kLeastKey = 32;
constexpr std::string_view kArrow = "→";  // between number and text of numbered lines
// Characters of keys, of their headers and of the margins of diffs, besides letters and digits.
constexpr std::string_view kMarks = "+/= \t\n\f\r\\:,.()>|#*\"'-";

bool IsAlphanumeric(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

size_t KeyBlocks::Lines::To(std::string_view text, size_t place) {
  count += static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                          text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
  at = place;
  return count;
}

// The position after "RSA PRIVATE KEY-----"; nullopt: another label.
std::optional<size_t> KeyBlocks::AfterLabel(size_t at) const {
  const size_t stop = std::min(text_.find_first_not_of(kLabel, at), text_.size());
  const std::string_view label = text_.substr(at, stop - at);
  const bool key = label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK");
  if (!key || !text_.substr(stop).starts_with(kDashes)) return std::nullopt;
  return stop + kDashes.size();
}

// Moves end_line_ to the first end line from `from` on; false: none.
bool KeyBlocks::FindEnd(size_t from) {
  if (no_more_) return false;
  if (end_line_.end > 0 && end_line_.begin >= from) return true;
  for (size_t at = text_.find(kEnd, from); at != std::string_view::npos;
       at = text_.find(kEnd, at + kEnd.size())) {
    if (const auto after = AfterLabel(at + kEnd.size())) {
      end_line_ = {at, *after};
      return true;
    }
  }
  no_more_ = true;
  return false;
}

size_t KeyBlocks::EndOf(size_t head) {
  if (FindEnd(head) && end_line_.begin - head <= kMostBytes) {
    const size_t before = to_head_.To(text_, head);
    if (to_end_.To(text_, end_line_.begin) - before <= kMostLines) return end_line_.end;
  }
  size_t at = head;
  while (at < text_.size()) {
    if (IsAlphanumeric(text_[at]) || kMarks.find(text_[at]) != std::string_view::npos) {
      ++at;
    } else if (text_.substr(at).starts_with(kArrow)) {
      at += kArrow.size();
    } else {
      break;
    }
  }
  return at;
}

// Finds an end line between `from` and `until` without its BEGIN: the base64 before it is the key.
std::optional<KeyBlocks::Span> KeyBlocks::Beheaded(size_t from, size_t until) {
  while (true) {
    if (!found_end_ || next_end_ < from) next_end_ = text_.find(kEnd, std::max(from, next_end_));
    found_end_ = true;  // for all calls with a smaller `until`
    if (next_end_ >= until) return std::nullopt;
    const size_t at = next_end_;
    next_end_ = at + kEnd.size();
    found_end_ = false;
    const auto after = AfterLabel(next_end_);
    if (!after) continue;
    size_t begin = at;
    while (begin > from && at - begin < kMostBytes &&
           (IsAlphanumeric(text_[begin - 1]) ||
            std::string_view("+/=\n\r\\").find(text_[begin - 1]) != std::string_view::npos)) {
      --begin;
    }
    if (at - begin >= kLeastKey) return Span{begin, *after};
  }
}

std::optional<KeyBlocks::Span> KeyBlocks::Next(size_t from) {
  for (size_t begin = text_.find(kBegin, from); begin != std::string_view::npos;
       begin = text_.find(kBegin, begin + kBegin.size())) {
    if (const auto head = AfterLabel(begin + kBegin.size())) {
      if (const auto rest = Beheaded(from, begin)) return rest;
      return Span{begin, EndOf(*head)};
    }
  }
  return Beheaded(from, text_.size());
}

}  // namespace redaction
