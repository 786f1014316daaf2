// What `setup` puts into the settings of agents and takes out again, beside what is there. Pure.
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
// Takes the place of an entry of ours. kInvalid: what is there has another shape.
base::Status AddHooks(Settings& settings, const std::string& program,
                      const std::vector<std::string>& events);
void RemoveHooks(Settings& settings);

// {"mcpServers": {"memory": {"command": program, "args": ["mcp"]}}}; the name is "agent-memory"
// where "memory" is somebody else's.
base::Status AddServer(Settings& settings, const std::string& program);
void RemoveServer(Settings& settings);

// The same for TOML, as a block between two lines of comment. kConflict: another one is called so.
base::Result<std::string> WithServerBlock(const std::string& toml, const std::string& program);
std::string WithoutServerBlock(const std::string& toml);

}  // namespace client
