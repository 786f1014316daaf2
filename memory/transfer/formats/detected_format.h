// Detects the format of an import by its beginning. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace memory {

// For errors: what POST /import takes.
inline constexpr const char* kTaken =
    "accepted are exports of agent-memory (JSON, JSON lines, SQLite, Markdown, a tar of notes), "
    "Markdown "
    "(CLAUDE.md, AGENTS.md, MEMORY.md), CSV with a column content, and exports of AgentOS, mem0, "
    "engram, ChatGPT and Claude (conversations.json), Gemini, claude-mem (SQLite) and the MCP "
    "memory "
    "server (JSON lines)";

// sqlite, obsidian, markdown, jsonl, csv; auto: JSON, whose fields tell. kInvalid: it is none of
// them, says what it looks like.
base::Result<std::string> FormatByBeginning(std::string_view beginning);

// The same for a body whose media type is given ("" for none). A type that names a format holds: a
// body of another form is kInvalid. application/json, which curl --json sends with any file, may be
// an export that its first bytes tell; its JSON is a list of memories, or an object that has some.
base::Result<std::string> FormatByType(std::string_view type, std::string_view beginning);

}  // namespace memory
