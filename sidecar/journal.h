// What the sidecar remembers of its own work, in state.db: events it has answered, what it
// injected, memory sessions, the last good policy. The audit log is journal_audit.h. Every call
// runs inside the caller's transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kJournalSchema;
extern const char* const kJournalAgeStep;  // a later migration

// Events. An event that comes again (same key) is answered as before and does nothing else.
base::Result<std::optional<std::string>> AnswerGiven(sqlite::Database& db,
                                                     const std::string& conversation,
                                                     const std::string& event_key);
base::Status RecordAnswer(sqlite::Database& db, const std::string& conversation,
                          const std::string& event_key, const std::string& answer, int64_t now_ms);

// Injections: the exact bytes and why.
struct InjectionRecord {
  std::string conversation;
  int64_t turn = 0;
  std::string event, tool_name, tool_use_id;
  std::string text;            // what the agent got; empty: nothing
  std::string query, outcome;  // why: what was searched for and how that went
  base::Json items;            // [{id, revision, rank, method, trust, …}] in order
  std::string policy_digest;
  int64_t created_ms = 0;
};
base::Status RecordInjection(sqlite::Database& db, const InjectionRecord& record);
// Those of a turn in their order, as many as fit; one is always whole.
struct InjectionPlace {
  int64_t from = 0;  // the `more` of the page before; 0: the first
  int64_t limit = INT64_MAX;
  size_t bytes = SIZE_MAX;
};
struct InjectionPage {
  std::vector<InjectionRecord> records;
  int64_t more = 0;  // where the next page begins; 0: there is none
};
base::Result<InjectionPage> Injections(sqlite::Database& db, const std::string& conversation,
                                       int64_t turn, const InjectionPlace& place = {});

// Memory sessions: which part of a conversation belongs to which session on the server.
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

// The last good policy file.
base::Status KeepPolicy(sqlite::Database& db, const std::string& file, int64_t now_ms);
base::Result<std::optional<std::string>> KeptPolicy(sqlite::Database& db);

}  // namespace sidecar
