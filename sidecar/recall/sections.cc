// Fences count in the budget; a section without lines has none.
#include "sidecar/recall/sections.h"

#include <algorithm>
#include <numeric>

namespace sidecar {

size_t Utf16Units(std::string_view text) {
  size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

JoinedSections JoinSections(const std::vector<Section>& sections, std::vector<size_t> budgets,
                            size_t room) {
  JoinedSections joined;
  joined.kept.resize(sections.size());
  std::vector<std::string> texts(sections.size());
  std::vector<size_t> order(sections.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return sections[i].priority; });
  for (const size_t i : order) {
    const Section& section = sections[i];
    const std::string open = OpenTag(NameOf(section.block)) + "\n" + section.preface + "\n";
    const std::string close = CloseTag(NameOf(section.block)) + "\n";
    size_t& budget = budgets[section.budget];
    for (const std::string& line : section.lines) {
      size_t cost = Utf16Units(line);
      if (texts[i].empty()) cost += Utf16Units(open) + Utf16Units(close);
      if (cost > std::min(budget, room)) break;
      budget -= cost;
      room -= cost;
      if (texts[i].empty()) texts[i] = open;
      texts[i] += line;
      ++joined.kept[i];
    }
    if (!texts[i].empty()) texts[i] += close;
  }
  for (const std::string& text : texts) joined.text += text;
  if (!joined.text.empty()) joined.text.pop_back();
  return joined;
}

}  // namespace sidecar
