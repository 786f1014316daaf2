// Rows of observations and sessions as they lie in the tables. Everything runs in the caller's
// transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/sqlite/database.h"
#include "memory/model/words.h"

namespace memory {

// What stands before WHERE in every read of observations, and its columns in their order.
#define MEMORY_SELECT_OBSERVATION                                                         \
  "SELECT o.id, s.id, o.type, o.title, o.content, p.name, o.tags, o.scope, o.topic_key, " \
  "o.hash, o.revision_count, o.duplicate_count, o.seen_ms, o.created_ms, o.updated_ms, "  \
  "o.tool, o.tool_call_id, o.rule, o.origin FROM observations o "                         \
  "JOIN sessions s ON s.number = o.session JOIN projects p ON p.number = o.project "
struct ObservationColumns {
  enum {
    kId,
    kSession,
    kType,
    kTitle,
    kContent,
    kProject,
    kTags,
    kScope,
    kTopicKey,
    kHash,
    kRevisionCount,
    kDuplicateCount,
    kSeenMs,
    kCreatedMs,
    kUpdatedMs,
    kTool,
    kToolCallId,
    kRule,
    kOrigin
  };
};
// The same of sessions.
#define MEMORY_SELECT_SESSION                                                                  \
  "SELECT s.id, p.name, s.summary, s.predecessor, s.started_ms, s.ended_ms, s.message_count, " \
  "s.number "                                                                                  \
  "FROM sessions s JOIN projects p ON p.number = s.project "
struct SessionColumns {
  enum { kId, kProject, kSummary, kPredecessor, kStartedMs, kEndedMs, kMessageCount, kNumber };
};

int64_t IntAt(const sqlite::Statement& row);                 // its first column
std::vector<std::string> TagsOf(const std::string& stored);  // as a row keeps them
api::Observation ObservationAt(const sqlite::Statement& row);
api::Session SessionAt(const sqlite::Statement& row);
// In the statement's order, up to the row that passes `bytes` (answer_limit.h).
base::Result<std::vector<api::Observation>> AllObservations(sqlite::Statement read, size_t bytes);
base::Result<std::vector<api::Session>> AllSessions(sqlite::Statement read);

// Names are matched case-folded; nullopt: never written.
base::Result<std::optional<int64_t>> FindProject(sqlite::Database& database,
                                                 const std::string& name);
base::Result<int64_t> FindOrAddProject(sqlite::Database& database, const std::string& name);

// The session's number, made in `project` when unknown; kConflict when it is another project's.
base::Result<int64_t> FindOrAddSession(sqlite::Database& database, const std::string& id,
                                       const std::string& project, int64_t now_ms);

// `wanted`, or, when that is a session of another project, an id that is made of `prefix` and both
// names.
base::Result<std::string> SessionIdIn(sqlite::Database& database, const std::string& wanted,
                                      const std::string& project, const char* prefix);

// A row's number, live or not: deleted, hidden, or over.
struct Place {
  int64_t slot = 0;
  bool live = false;
};
base::Result<std::optional<Place>> FindRow(sqlite::Database& database, int64_t id);

// The row of a slot, live or not; nullopt: there is none.
base::Result<std::optional<api::Observation>> FindObservation(sqlite::Database& database,
                                                              int64_t slot);
// Of a slot that the caller's snapshot or transaction has: kInternal without a row.
base::Result<api::Observation> ReadRow(sqlite::Database& database, int64_t slot);

// Inserts with the next id, or with `row.id` when not 0 (the caller knows that it is free).
base::Result<int64_t> InsertRow(sqlite::Database& database, const api::Observation& row,
                                const TextFacts& facts, int64_t session);
// A row that was hidden or deleted softly comes back as it was. False: its topic has another row.
base::Result<bool> Revive(sqlite::Database& database, int64_t slot);

}  // namespace memory
