// Joins the sections of an injection: each a fenced block of whole lines with a priority and a
// budget. prompt.h writes the lines. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/text/memory_blocks.h"

namespace sidecar {

struct Section {
  InjectedBlock block;
  int priority = 0;   // the lowest gets its room first; equal ones in the order given
  size_t budget = 0;  // index into `budgets`; sections may share one
  std::string preface;
  std::vector<std::string> lines;  // the most relevant first, each with its line end
};

struct JoinedSections {
  std::string text;          // in the order of the sections; without a last line end
  std::vector<size_t> kept;  // lines of each section; the first line that does not fit ends it
};
// `budgets` and `room`, the limit of all together, count UTF-16 units.
JoinedSections JoinSections(const std::vector<Section>& sections, std::vector<size_t> budgets,
                            size_t room);

size_t Utf16Units(std::string_view text);

}  // namespace sidecar
