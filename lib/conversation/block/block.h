// A block as a value, its wire form and its line in the catalogue that a model reads. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"

namespace conversation {

inline constexpr size_t kQueryCharacters = 120;

// How often each tool was called, in the order of first use.
using ToolCounts = std::vector<std::pair<std::string, int64_t>>;

struct Block {
  int64_t number = 0;           // 0.. within the conversation
  int64_t first = 1, last = 0;  // numbers of its messages; last < first: none yet
  bool open = true;
  bool digested = false;  // closed, with the fields below; else only its query is set
  std::string query;      // the first kQueryCharacters of the user's first message
  std::string summary;    // query — tools → "outcome", in one inert line
  int64_t tokens = 0;     // of its compact form; open: of its messages, if a route counted them
  ToolCounts tools;
  int64_t opened_ms = 0, closed_ms = 0;
};

// Returns `query — exec x3, read x1 → "outcome"`, at most kSummaryCharacters.
inline constexpr size_t kSummaryCharacters = 600;
std::string BlockSummary(const std::string& query, const ToolCounts& tools,
                         const std::string& outcome);
// `#0: summary (~5K tokens)`; `#0: query` of a block without a summary yet.
std::string CatalogueLine(const Block& block);

base::Json EncodeTools(const ToolCounts& tools);
base::Json EncodeBlock(const Block& block);

}  // namespace conversation
