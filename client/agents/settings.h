// Adds hooks and the MCP server to the settings of agents and removes them, and nothing else. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/agents/json_text.h"

namespace client {

// {"hooks": {event: [… {"hooks": [{"type": "command", "command": "'<program>' hook <event>"}]}]}}.
// Replaces our earlier entries. kInvalid: the settings have another shape.
base::Status AddHooks(Settings& settings, const std::string& program,
                      const std::vector<std::string>& events);
void RemoveHooks(Settings& settings);

// {"mcpServers": {"memory": {"command": program, "args": ["mcp"]}}}; the name is "agent-memory" if
// another server has the name "memory".
base::Status AddServer(Settings& settings, const std::string& program);
void RemoveServer(Settings& settings);

// The name that AddServer gives to the server of `program`, or finds: "memory" or "agent-memory".
std::string ServerName(const Settings& settings, const std::string& program);

// {"permissions": {"allow": [rule]}}: Claude Code runs the tools of a server without asking.
// Nothing if a list of permissions has the rule already: a person decided. kInvalid: another shape.
base::Status AddPermission(Settings& settings, const std::string& rule);
void RemovePermission(Settings& settings, const std::string& rule);
bool HasPermission(const Settings& settings, const std::string& rule);  // in any list
bool HasOurHooks(const Settings& settings);

// The same for TOML: a block between two comment lines at the end, or, where `mcp_servers` is an
// inline table, a member of it. kInvalid names the line; kConflict: both names are taken, or
// `mcp_servers` is no table.
base::Result<std::string> WithServerBlock(const std::string& toml, const std::string& program);
base::Result<std::string> WithoutServerBlock(const std::string& toml);

}  // namespace client
