// Reads tools' names, arguments and results as text, in every shape that agents use. Which texts
// are remembered is decided in capture.h. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/base/json/json.h"

namespace sidecar {

inline constexpr size_t kKeptHalfBytes = 128 << 10;  // kept head, and kept tail, of a long string

// True when `pattern` (a name or a glob, ASCII case ignored) names the tool. An MCP tool's name
// matches with and without mcp__server__ (Claude Code) or mcp_server_ (AgentOps).
bool ToolMatches(std::string_view pattern, std::string_view tool_name);

// True for our own memory tools, under any server name: their results are memories already.
bool IsOwnTool(std::string_view tool_name);

// The result as text: the error of a failed call, else the texts of tool_response (a string,
// content blocks, {stdout, stderr}, {file: {content}}, …); an object of an unknown shape as JSON.
// At most the first and the last 128 KiB of the whole text.
struct ToolOutput {
  std::string text;
  bool cut = false;         // its middle was left out
  bool holds_json = false;  // a part is JSON, with escaped quotes and line ends
};
ToolOutput ReadOutput(const api::HookEvent& event);

// `tool_input` as an object; parses a string that contains a JSON object. Else an empty object.
base::Json Arguments(const base::Json& tool_input);

// The arguments of each call in a message's tool_calls; calls without arguments are skipped.
std::vector<base::Json*> CallArguments(base::Json& tool_calls);

// All texts of the argument `name`: itself, its leaves and its JSON, up to 1 MiB together. `name`
// is a key at any depth, or a dotted path from the top.
std::vector<std::string> ArgumentTexts(const base::Json& arguments, const std::string& name);

// The argument that names the target of the call (command, path, query, url, …); without such an
// argument all strings, joined.
std::string MainArgument(const base::Json& arguments);

// Cuts each string of over 256 KiB to its head and tail, in place, on character borders; true if it
// cut a string.
bool ShortenStrings(base::Json& value);

// `text` without memory blocks and without lone lines of items, so that an injection is never
// captured again. An unclosed block ends after its line and following lines that look like items.
std::string WithoutInjected(std::string_view text);

}  // namespace sidecar
