// Splits a person's Markdown file (CLAUDE.md, AGENTS.md) into memories, one per section. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memory {

struct MarkdownSection {
  std::string title;  // its heading; empty: none
  std::string content;
  size_t line = 1;  // where it begins in the text
};

// Apart by headings of level 1 and 2 outside of code fences; deeper ones stay in the content. A
// heading without text below it is left out, unless there is nothing else. Linear.
std::vector<MarkdownSection> SectionsOf(std::string_view text);

}  // namespace memory
