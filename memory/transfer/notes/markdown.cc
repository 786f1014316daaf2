// CommonMark 4.2 (headings), 4.5 (fences: one as long at least, with nothing after it, closes) and
// 4.6 (comments).
#include "memory/transfer/notes/markdown.h"

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

constexpr size_t kDeepestSplit = 2, kLongestTitle = 500;

bool StartsSection(std::string_view line) {
  line = WithoutIndent(line);
  const size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= kDeepestSplit &&
         (level == line.size() || line[level] == ' ' || line[level] == '\t');
}

std::string HeadingOf(std::string_view line) {
  line = base::Trim(line);
  while (line.starts_with('#')) line.remove_prefix(1);
  line = base::Trim(line);
  const size_t last = line.find_last_not_of('#');  // a closing sequence
  if (last != line.npos && last + 1 < line.size() && line[last] == ' ')
    line = base::Trim(line.substr(0, last));
  return std::string(line);
}

}  // namespace

std::string_view TakeLine(std::string_view& rest) {
  const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::string_view WithoutEnd(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
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

std::vector<MarkdownSection> SectionsOf(std::string_view text) {
  std::vector<MarkdownSection> sections;
  MarkdownSection open;
  std::string above;  // headings without a text of their own, which belong to the section below
  const auto close = [&] {
    open.content = std::string(base::Trim(open.content));
    if (!above.empty()) open.title = above + (open.title.empty() ? "" : " › " + open.title);
    above.clear();
    if (open.content.empty()) {
      above = open.title;
      return;
    }
    // The title of a row has a limit, the text of a heading has none.
    if (base::CountCharacters(open.title) > kLongestTitle)
      open.content = open.title + "\n\n" + open.content;
    sections.push_back(std::move(open));
  };
  CodeFences fences;
  HtmlComments comments;
  size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view whole = TakeLine(rest), line = WithoutEnd(whole);
    ++number;
    if (!fences.Inside(line) && !comments.Inside(line) && StartsSection(line)) {
      close();
      open = {HeadingOf(line), "", number};
    } else {
      open.content += whole;
    }
  }
  close();
  if (!above.empty() && !sections.empty()) sections.push_back({above, above, number});
  if (sections.empty()) sections.push_back({"", std::string(base::Trim(text)), 1});
  return sections;
}

}  // namespace memory
