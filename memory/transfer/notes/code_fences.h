// Code blocks between fences (CommonMark 4.5), line by line. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace memory {

// Without up to three blanks of indentation; "" with more.
std::string_view WithoutIndent(std::string_view line);

// Whether a line, without its end, is inside of an HTML comment (CommonMark 4.6) that began on an
// earlier line, or begins one itself. Not for lines inside of fences.
class HtmlComments {
 public:
  bool Inside(std::string_view line);

 private:
  bool open_ = false;
};

class CodeFences {
 public:
  // Whether the line, without its end, is inside of a code block or a fence of one.
  bool Inside(std::string_view line);

 private:
  size_t open_ = 0;
  char mark_ = '`';
};

}  // namespace memory
