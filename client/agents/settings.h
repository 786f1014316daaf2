// Adds hooks and the MCP server to the settings of agents and removes them, and nothing else. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace client {

// Keeps the order of the user's keys.
using Settings = nlohmann::ordered_json;

// {"hooks": {event: [… {"hooks": [{"type": "command", "command": "'<program>' hook <event>"}]}]}}.
// Replaces our earlier entries. kInvalid: the settings have another shape.
base::Status AddHooks(Settings& settings, const std::string& program,
                      const std::vector<std::string>& events);
void RemoveHooks(Settings& settings);

// {"mcpServers": {"memory": {"command": program, "args": ["mcp"]}}}; the name is "agent-memory" if
// another server has the name "memory".
base::Status AddServer(Settings& settings, const std::string& program);
void RemoveServer(Settings& settings);

// The same for TOML, as a block between two comment lines. kConflict: the name is taken.
base::Result<std::string> WithServerBlock(const std::string& toml, const std::string& program);
std::string WithoutServerBlock(const std::string& toml);

}  // namespace client
