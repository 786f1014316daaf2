// Memory sessions in state.db: the part of a conversation that belongs to a session on the server.
// sessions.h begins and ends sessions. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kMemorySessionsSchema;

struct MemorySession {
  std::string id, conversation, predecessor;
  int64_t after_sequence = 0;  // its first message has the next number
};
base::Status AddMemorySession(sqlite::Database& db, const MemorySession& session);
base::Result<std::optional<MemorySession>> FindMemorySession(sqlite::Database& db,
                                                             const std::string& id);
// The sessions among `ids` that are of the conversation: it has one for each time that it was begun
// or resumed.
base::Result<std::set<std::string>> SessionsOf(sqlite::Database& db,
                                               const std::string& conversation,
                                               const std::set<std::string>& ids);
// The last message that an interim summary on the server covers; 0: none was sent.
base::Result<int64_t> SummarizedSequence(sqlite::Database& db, const std::string& id);
base::Status SetSummarizedSequence(sqlite::Database& db, const std::string& id, int64_t sequence);

}  // namespace sidecar
