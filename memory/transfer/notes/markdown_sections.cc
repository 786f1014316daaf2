// Line by line: headings and code fences are all that counts (CommonMark 4.2, 4.5).
#include "memory/transfer/notes/markdown_sections.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/transfer/notes/code_fences.h"

namespace memory {

namespace {

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
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    std::string_view line = rest.substr(0, end);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (!fences.Inside(line) && !comments.Inside(line) && StartsSection(line)) {
      close();
      open = {HeadingOf(line), "", number};
    } else {
      open.content += rest.substr(0, end);
    }
    rest.remove_prefix(end);
  }
  close();
  if (!above.empty() && !sections.empty()) sections.push_back({above, above, number});
  if (sections.empty()) sections.push_back({"", std::string(base::Trim(text)), 1});
  return sections;
}

}  // namespace memory
