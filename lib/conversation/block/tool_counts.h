// The calls of each tool in a block, as the JSON of its row.
#pragma once

#include "lib/base/json/stored.h"
#include "lib/conversation/block/block.h"

namespace conversation {

inline base::Json ToolsJson(const ToolCounts& tools) {
  base::Json list = base::Json::array();
  for (const auto& [tool, count] : tools) list.push_back({tool, count});
  return list;
}

inline base::Result<ToolCounts> ReadTools(const std::string& text) {
  ToolCounts tools;
  ASSIGN_OR_RETURN(const base::Json list, base::ParseStored(text, base::Json()));
  if (!list.is_array()) return tools;
  for (const base::Json& one : list) {
    const bool pair =
        one.is_array() && one.size() == 2 && one[0].is_string() && one[1].is_number_integer();
    if (pair) tools.emplace_back(one[0].get<std::string>(), one[1].get<int64_t>());
  }
  return tools;
}

}  // namespace conversation
