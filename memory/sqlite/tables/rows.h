// Rows of the tables of observations and sessions. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/sql/database.h"
#include "memory/rows/observations.h"

namespace memory {

// The head of every SELECT of observations, and its columns in order.
#define MEMORY_OBSERVATION                                                               \
  "o.id, s.id, o.type, o.title, o.content, p.name, o.tags, o.scope, o.topic_key, "       \
  "o.hash, o.revision_count, o.duplicate_count, o.seen_ms, o.created_ms, o.updated_ms, " \
  "o.tool, o.tool_call_id, o.rule, o.origin"
#define MEMORY_OF_OBSERVATION \
  "JOIN sessions s ON s.number = o.session JOIN projects p ON p.number = o.project "
#define MEMORY_SELECT_OBSERVATION \
  "SELECT " MEMORY_OBSERVATION " FROM observations o " MEMORY_OF_OBSERVATION
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
    kOrigin,
    kSlot  // of ObservationsInTurn
  };
};
// Numbers of a list as j.slot; BindList binds its two parameters. PostgreSQL estimates the rows by
// the limit, and so looks each one up instead of reading all.
#define MEMORY_LISTED "(SELECT CAST(value AS BIGINT) AS slot FROM json_each(?1) LIMIT ?2) j "
// The same of sessions.
#define MEMORY_SELECT_SESSION                                                                  \
  "SELECT s.id, p.name, s.summary, s.predecessor, s.started_ms, s.ended_ms, s.message_count, " \
  "s.number "                                                                                  \
  "FROM sessions s JOIN projects p ON p.number = s.project "
struct SessionColumns {
  enum { kId, kProject, kSummary, kPredecessor, kStartedMs, kEndedMs, kMessageCount, kNumber };
};

// False: the file is of an earlier version.
bool HasTable(sql::Database& database, const char* name);
int64_t IntAt(const sql::Statement& row);              // the first column
std::string ListOf(std::span<const int64_t> numbers);  // for json_each
sql::Statement& BindList(sql::Statement& statement, std::span<const int64_t> numbers);
std::vector<std::string> TagsOf(const std::string& stored);  // parses the column
api::Observation ObservationAt(const sql::Statement& row);
api::Session SessionAt(const sql::Statement& row);
// In the statement's order, up to the row that exceeds `bytes` (answer_limit.h).
base::Result<std::vector<api::Observation>> AllObservations(sql::Statement read, size_t bytes);
base::Result<std::vector<api::Session>> AllSessions(sql::Statement read);

// The number of a project; names are case-folded. nullopt: unknown.
base::Result<std::optional<int64_t>> FindProject(sql::Database& database, const std::string& name);
base::Result<int64_t> FindOrAddProject(sql::Database& database, const std::string& name);

// The session and its project, created if unknown; kConflict: it belongs to another project.
base::Result<Location> FindOrAddLocation(sql::Database& database, const std::string& session,
                                         const std::string& project, int64_t now_ms);

// `wanted`, or an id made of `prefix` and both names if `wanted` is a session of another project.
base::Result<std::string> SessionIdIn(sql::Database& database, const std::string& wanted,
                                      const std::string& project, const char* prefix);

// The slot of a row, also of a deleted, hidden or expired one.
struct Place {
  int64_t slot = 0;
  bool live = false;
};
base::Result<std::optional<Place>> FindRow(sql::Database& database, int64_t id);

// The row of a slot, live or not; nullopt: no row.
base::Result<std::optional<api::Observation>> FindObservation(sql::Database& database,
                                                              int64_t slot);
// The same of slots in turn, of which one statement reads some.
class ObservationsInTurn {
 public:
  ObservationsInTurn(sql::Database& database, std::vector<int64_t> slots)
      : database_(database), slots_(std::move(slots)) {}
  // Once for each slot.
  base::Result<std::optional<api::Observation>> Next();

 private:
  static constexpr size_t kAtOnce = 16;  // a bound on their bytes
  base::Status Read();
  sql::Database& database_;
  const std::vector<int64_t> slots_;
  size_t next_ = 0, read_ = 0;
  std::unordered_map<int64_t, api::Observation> rows_;
};
// The row of a slot known to the caller's snapshot or transaction: kInternal without a row.
base::Result<api::Observation> ReadRow(sql::Database& database, int64_t slot);

// Inserts with the next id, or with `row.id` if not 0 (the caller checked that it is free).
base::Result<int64_t> InsertRow(sql::Database& database, const api::Observation& row,
                                const TextFacts& facts, const Location& location);
// Restores a hidden or soft-deleted row. False: another row has its topic.
base::Result<bool> Revive(sql::Database& database, int64_t slot);

}  // namespace memory
