// Memory sessions in state.db: which part of a conversation belongs to which session on the server.
// When one begins and ends is sessions.h. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kMemorySessionsSchema;

struct MemorySession {
  std::string id, conversation, predecessor;
  int64_t after_sequence = 0;  // its messages come behind this one
};
base::Status AddMemorySession(sqlite::Database& db, const MemorySession& session);
base::Result<std::optional<MemorySession>> FindMemorySession(sqlite::Database& db,
                                                             const std::string& id);
// Up to which message of its conversation the server was told an interim summary; 0: none.
base::Result<int64_t> SummarizedSequence(sqlite::Database& db, const std::string& id);
base::Status SetSummarizedSequence(sqlite::Database& db, const std::string& id, int64_t sequence);

}  // namespace sidecar
