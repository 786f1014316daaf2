// A fence is closed by one that is as long at least, with nothing behind.
#include "memory/transfer/notes/code_fences.h"

#include <algorithm>

#include "lib/base/text/text.h"

namespace memory {

namespace {

constexpr size_t kMostIndent = 3;

// The marks that a fence begins with: at least three ` or ~; 0: none.
size_t FenceOf(std::string_view line, char mark) {
  const size_t end = std::min(line.find_first_not_of(mark), line.size());
  return end >= 3 ? end : 0;
}

}  // namespace

std::string_view WithoutIndent(std::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  return first == line.npos || first > kMostIndent ? std::string_view() : line.substr(first);
}

bool CodeFences::Inside(std::string_view line) {
  line = WithoutIndent(line);
  if (open_ > 0) {
    const size_t marks = FenceOf(line, mark_);
    if (marks >= open_ && base::Trim(line.substr(marks)).empty()) open_ = 0;
    return true;
  }
  for (const char mark : {'`', '~'}) {
    const size_t marks = FenceOf(line, mark);
    // Behind backticks another one makes it code within the line.
    if (marks == 0 || (mark == '`' && line.find(mark, marks) != line.npos)) continue;
    open_ = marks;
    mark_ = mark;
    return true;
  }
  return false;
}

}  // namespace memory
