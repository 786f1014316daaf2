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

// Without indentation, marks of quotes and of list items: a fence may stand in any of them.
std::string_view WithoutContainers(std::string_view line) {
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const bool bullet =
        line.size() > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ';
    const bool number = digits > 0 && digits < 10 && digits + 1 < line.size() &&
                        (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ';
    if (!bullet && !number) return line;
    line.remove_prefix(bullet ? 2 : digits + 2);
  }
}

bool CodeFences::Inside(std::string_view line) {
  line = WithoutContainers(line);
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

bool HtmlComments::Inside(std::string_view line) {
  const bool before = open_;
  bool begins = false;
  for (;;) {
    const size_t at = line.find(open_ ? "-->" : "<!--");
    if (at == line.npos) break;
    begins = begins || (!open_ && base::Trim(line.substr(0, at)).empty());
    line.remove_prefix(at + (open_ ? 3 : 4));
    open_ = !open_;
  }
  return before || begins;
}

}  // namespace memory
