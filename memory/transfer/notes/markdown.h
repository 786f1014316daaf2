// Markdown line by line: code blocks, comments, and the sections of a person's file (CLAUDE.md,
// AGENTS.md). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memory {

// Removes the first line from `rest` and returns it with its end; WithoutEnd: without it.
std::string_view TakeLine(std::string_view& rest);
std::string_view WithoutEnd(std::string_view line);

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

struct MarkdownSection {
  std::string title;  // its heading; empty: none
  std::string content;
  size_t line = 1;  // where it begins in the text
};

// Apart by headings of level 1 and 2 outside of code fences; deeper ones stay in the content. A
// heading without text below it is left out, unless there is nothing else. Linear.
std::vector<MarkdownSection> SectionsOf(std::string_view text);

}  // namespace memory
