// Limits of the memory API beside those of observations (memory_api.h), for the decoders and for
// the table of operations. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/text/text.h"

namespace api {

inline constexpr size_t kMaxQuestion = 10'000;  // characters of a query that is a sentence
// The limit of an FTS5 expression, which unlike a sentence is executed as it is.
inline constexpr size_t kMaxExpression = 2'000;
inline constexpr int64_t kMaxId = (int64_t{1} << 53) - 1;      // of an observation
inline constexpr int64_t kMaxOmittedMessages = 1'000'000'000;  // of a session's end

inline constexpr size_t kMaxItemKey = 200;         // characters
inline constexpr size_t kMaxItemValue = 64 << 10;  // bytes of JSON
inline constexpr size_t kMaxItemMetadata = 16 << 10;
inline constexpr size_t kMaxStoreRules = 32;  // of one exchange
inline constexpr size_t kMaxRetentionRules = 32;

inline constexpr size_t kMaxConversationBytes = 200;
inline constexpr size_t kMaxEpisodeName = 200;         // characters of an agent's or user's
inline constexpr size_t kMaxEpisodeFields = 64 << 10;  // bytes of JSON beside the summary

inline constexpr size_t kMaxSharedOwner = 63;        // bytes
inline constexpr size_t kMaxSharedKey = 200;         // characters
inline constexpr size_t kMaxSharedValue = 64 << 10;  // bytes of JSON

inline constexpr size_t kMaxTraceExtras = 16 << 10;  // bytes of JSON: emotions and metadata
inline constexpr size_t kMaxTracesMerged = 100;      // of one call
inline constexpr size_t kMaxEdgeKind = 50;           // characters
inline constexpr size_t kMaxTracesFound = 100;       // of one query
inline constexpr size_t kMaxScopeId = 200;           // characters of a user, an agent
inline constexpr size_t kMaxTurnText = 64 << 10;     // bytes, of each side
inline constexpr int64_t kMaxFactsOfTurn = 20;

// Words of a parameter, by '|'.
inline constexpr std::string_view kTraceKinds = "episodic|semantic|procedural|prospective";
inline constexpr std::string_view kTraceScopes = "thread|user|persona|organization";
inline constexpr std::string_view kExportFormats =
    "json|jsonl|sqlite|notes|markdown|obsidian|agentos-json";
inline constexpr std::string_view kImportFormats =
    "json|jsonl|sqlite|markdown|obsidian|notes|csv|mem0|engram|chatgpt|agentops|agentos-json|"
    "claude|"
    "gemini|claude-mem|mcp-memory|auto";

// Of words by '|'.
inline bool IsOneOf(std::string_view word, std::string_view words) {
  const std::vector<std::string> all = base::Split(words, '|');
  return std::ranges::find(all, word) != all.end();
}
inline std::string Listed(std::string_view words) {
  return base::Join(base::Split(words, '|'), ", ");
}

}  // namespace api
