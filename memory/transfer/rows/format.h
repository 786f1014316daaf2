// The formats of exports and how they are told apart.
//   json    one object: format, exported_at, sessions[], observations[]
//   jsonl   one object a line, its "kind" first export, then session, observation, at last end with
//           the counts
//   sqlite  a database file as a store keeps it
//   markdown  notes one behind the other, the first of kind export, the last of kind end
//   obsidian  a tar archive with a note a file, folders by type, links to sessions
// What has no `format` is the reference service's export, whose duplicate_count starts at 1.
#pragma once

namespace memory {

inline constexpr const char* kExportFormat = "agent-memory/1";
inline constexpr const char* kAegisSection = "aegis";           // of an export
inline constexpr const char* kSqliteMagic = "SQLite format 3";  // and a NUL

}  // namespace memory
