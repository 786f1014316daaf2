// Finds the transcripts of Claude Code and Codex, and the session of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace client {

struct TranscriptFolder {
  std::string path, format;  // claude-code or codex
};
// ~/.claude/projects or that of $CLAUDE_CONFIG_DIR; ~/.codex/sessions or that of $CODEX_HOME.
std::vector<TranscriptFolder> TranscriptFolders();

struct TranscriptFile {
  std::string path;
  int64_t bytes = 0, changed_ns = 0;
};

// A session with its files: its own transcript first, then those of its sub-agents.
struct PastSession {
  std::string format, id;
  std::string directory;   // where the agent was started; empty: its transcript does not say it
  std::string first_line;  // the id of its first line; a fork has that of its origin. Empty: none
  std::vector<TranscriptFile> files;
  int64_t bytes() const;
  int64_t changed_ns() const;  // the last change of a file
};

struct TranscriptTree {
  std::vector<PastSession> sessions;
  std::vector<std::string> unread;  // "path: why"
};
// Follows no links below the folders. A folder that does not exist has no sessions.
TranscriptTree FindTranscripts(const std::vector<TranscriptFolder>& folders);

}  // namespace client
