// A block (rows.h) as a value: its wire form and its line in the catalogue that a model reads.
// Pure.
#pragma once

#include <cstddef>
#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/rows.h"

namespace conversation {

inline constexpr size_t kQueryCharacters = 120;

// Returns `query — exec x3, read x1 → "outcome"`, at most kSummaryCharacters.
inline constexpr size_t kSummaryCharacters = 600;
std::string BlockSummary(const std::string& query, const ToolCounts& tools,
                         const std::string& outcome);
// `#0: summary (~5K tokens)`; `#0: query` of a block without a summary yet.
std::string CatalogueLine(const Block& block);

// The counts as in a block's row: [[tool, count]…], which keeps their order. Reading skips
// malformed elements; its errors are those of ParseStored.
base::Json ToolsJson(const ToolCounts& tools);
base::Result<ToolCounts> ReadTools(const std::string& text);

base::Json EncodeTools(const ToolCounts& tools);
base::Json EncodeBlock(const Block& block);

}  // namespace conversation
