// Cuts a string to its head and tail while it arrives, in bounded memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace base {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The kept bytes of a string: `head` of its beginning, up to twice `tail` of its end.
struct StringRoom {
  static constexpr size_t kMostHead = 112 << 10, kMostTail = 56 << 10;
  size_t head = 0, tail = 0;
  // For one of many strings that share `bytes`.
  static StringRoom Within(size_t bytes) {
    return {std::min(kMostHead, bytes / 4), std::min(kMostTail, bytes / 8)};
  }
};

class CutString {
 public:
  void Begin(StringRoom room) {
    *this = CutString();
    room_ = room;
  }
  // Never splits a unit: a character, an escape, or a run of ASCII.
  void Add(std::string_view unit, std::string& out) {
    if (!tail_begun_ && written_ + unit.size() <= room_.head) {
      written_ += unit.size();
      out += unit;
      return;
    }
    tail_begun_ = true;
    if (unit.size() > room_.tail) {
      left_out_ += older_.size() + recent_.size() + unit.size();
      older_.clear();
      recent_.clear();
      return;
    }
    if (recent_.size() + unit.size() > room_.tail) {
      left_out_ += older_.size();
      older_ = std::move(recent_);
      recent_.clear();
    }
    recent_ += unit;
  }
  // True: the middle was left out, and `out` has a note about it.
  bool End(std::string& out) {
    if (left_out_ > 0) {
      out += "\\n";
      out += kReplacement;
      out += "[" + std::to_string(left_out_) + " bytes left out]\\n";
    }
    out += older_;
    out += recent_;
    return left_out_ > 0;
  }

 private:
  StringRoom room_;
  size_t written_ = 0, left_out_ = 0;
  bool tail_begun_ = false;
  std::string older_, recent_;  // the tail
};

}  // namespace base
