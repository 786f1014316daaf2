// All text of a summary becomes inert: it is untrusted, and the catalogue is part of prompts.
#include "lib/conversation/block/block.h"

#include <algorithm>

#include "lib/base/json/stored.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"

namespace conversation {
namespace {

using base::Json;

constexpr size_t kOutcomeCharacters = 120, kToolCharacters = 40, kToolsShown = 8;

// One inert line of at most `characters`.
std::string OneLine(std::string_view text, size_t characters) {
  const std::string_view head = base::Prefix(text, 4 * characters);
  const char* more = head.size() < text.size() ? "…" : "";
  return base::Ellipsize(base::Inert(base::CollapseWhitespace(head)) + more, characters);
}

}  // namespace

std::string BlockSummary(const std::string& query, const ToolCounts& tools,
                         const std::string& outcome) {
  std::string summary = OneLine(query, kQueryCharacters);
  if (summary.empty()) summary = "(no request)";
  const char* separator = " — ";
  const size_t shown = std::min(tools.size(), kToolsShown);
  for (size_t i = 0; i < shown; ++i) {
    const auto& [tool, count] = tools[i];
    summary += separator + OneLine(tool, kToolCharacters) + " x" + std::to_string(count);
    separator = ", ";
  }
  if (shown < tools.size()) summary += ", +" + std::to_string(tools.size() - shown) + " tools";
  std::string said = OneLine(outcome, kOutcomeCharacters);
  std::ranges::replace(said, '"', '\'');
  if (!said.empty()) summary += " → \"" + said + "\"";
  return base::Ellipsize(summary, kSummaryCharacters);
}

std::string CatalogueLine(const Block& block) {
  if (block.summary.empty())
    return "#" + std::to_string(block.number) + ": " + BlockSummary(block.query, {}, "");
  const int64_t tokens = block.tokens;
  const std::string size =
      tokens < 1'000 ? std::to_string(tokens) : std::to_string(tokens / 1'000) + "K";
  return "#" + std::to_string(block.number) + ": " + block.summary + " (~" + size + " tokens)";
}

Json ToolsJson(const ToolCounts& tools) {
  Json list = Json::array();
  for (const auto& [tool, count] : tools) list.push_back({tool, count});
  return list;
}

base::Result<ToolCounts> ReadTools(const std::string& text) {
  ToolCounts tools;
  ASSIGN_OR_RETURN(const Json list, base::ParseStored(text, Json()));
  if (!list.is_array()) return tools;
  for (const Json& one : list) {
    const bool pair =
        one.is_array() && one.size() == 2 && one[0].is_string() && one[1].is_number_integer();
    if (pair) tools.emplace_back(one[0].get<std::string>(), one[1].get<int64_t>());
  }
  return tools;
}

Json EncodeTools(const ToolCounts& tools) {
  Json counts = Json::object();
  for (const auto& [tool, count] : tools) counts[tool] = count;
  return counts;
}

Json EncodeBlock(const Block& block) {
  return {{"block", block.number},
          {"query", block.query},
          {"state", block.open ? "open" : "closed"},
          {"summary", block.summary},
          {"tokens", block.tokens},
          {"tools", EncodeTools(block.tools)},
          {"from", block.first},
          {"to", block.last},
          {"opened_at", base::FormatTime(block.opened_ms)},
          {"closed_at", block.open ? Json() : Json(base::FormatTime(block.closed_ms))}};
}

}  // namespace conversation
