// Schema of a tenant's file. Rows of a project lie in one range of slots (slot >> 32), so that a
// search costs what its project holds; range 0 holds the rows of scope
// global.
#include "memory/sqlite/tables/schema.h"

#include <string>

#include "lib/conversation/sqlite/schema.h"
#include "lib/sqlite/scratch_index.h"
#include "memory/sqlite/tables/item_steps.h"
#include "memory/sqlite/tables/trace_steps.h"
#include "memory/sqlite/tables/uncut.h"
#include "memory/sqlite/tables/vector_steps.h"

namespace memory {
namespace {

// slot       the key of a row: range << 32 | number within the range; internal to the store
// id         the key for clients: from counters.next_id, never reused
// position   of the row in its session, for the ranker's window
// words      length of the content; marks: its flags for ranking (words.h)
// content_ms when the present content was written: the start of the dedup window
// grams      the terms (memory/model/terms.h) that unicode61 does not find in the other columns
//
// The content table of the full-text index is a view of live rows. rows.cc maintains the index, not
// triggers: with trusted_schema=OFF a trigger may not write to a virtual table.
constexpr const char* kFirst = R"sql(
CREATE TABLE counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES('next_id', 1), ('probe', 0);

CREATE TABLE projects(
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE);

CREATE TABLE ranges(
  number INTEGER PRIMARY KEY,
  next INTEGER NOT NULL DEFAULT 1,
  live_rows INTEGER NOT NULL DEFAULT 0,
  live_words INTEGER NOT NULL DEFAULT 0);
INSERT INTO ranges(number) VALUES(0);

CREATE TABLE sessions(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects(number),
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL DEFAULT 0,
  summarized_ms INTEGER NOT NULL DEFAULT 0,
  message_count INTEGER NOT NULL DEFAULT 0,
  next_position INTEGER NOT NULL DEFAULT 1,
  implied INTEGER NOT NULL DEFAULT 0,
  summary TEXT NOT NULL DEFAULT '',
  predecessor TEXT NOT NULL DEFAULT '');
CREATE INDEX sessions_started ON sessions(project, started_ms);
CREATE INDEX sessions_summarized ON sessions(project, summarized_ms) WHERE summarized_ms > 0;

CREATE TABLE observations(
  slot INTEGER PRIMARY KEY,
  id INTEGER NOT NULL UNIQUE,
  range INTEGER NOT NULL,
  project INTEGER NOT NULL REFERENCES projects(number),
  session INTEGER NOT NULL REFERENCES sessions(number),
  position INTEGER NOT NULL,
  words INTEGER NOT NULL,
  marks INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL,
  content_ms INTEGER NOT NULL,
  deleted_ms INTEGER,
  revision_count INTEGER NOT NULL DEFAULT 1,
  duplicate_count INTEGER NOT NULL DEFAULT 0,
  type TEXT NOT NULL,
  scope TEXT NOT NULL,
  topic_key TEXT,
  hash TEXT NOT NULL,
  rule TEXT NOT NULL,
  tool TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  tags TEXT NOT NULL,
  title TEXT NOT NULL,
  grams TEXT NOT NULL,
  content TEXT NOT NULL);
CREATE UNIQUE INDEX observations_topic ON observations(topic_key, project, scope)
  WHERE topic_key IS NOT NULL AND deleted_ms IS NULL;
CREATE INDEX observations_hash ON observations(hash, project);
CREATE INDEX observations_session ON observations(session, position, words, marks, created_ms);
CREATE INDEX observations_recent ON observations(range, updated_ms) WHERE deleted_ms IS NULL;

CREATE TABLE revisions(
  id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  replaced_ms INTEGER NOT NULL,
  written_ms INTEGER NOT NULL,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  tags TEXT NOT NULL,
  origin TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY(id, revision)) WITHOUT ROWID;

CREATE TABLE tombstones(id INTEGER PRIMARY KEY, deleted_ms INTEGER NOT NULL);

CREATE TABLE idempotency(
  key TEXT PRIMARY KEY,
  id INTEGER NOT NULL,
  action TEXT NOT NULL,
  revision_count INTEGER NOT NULL,
  duplicate_count INTEGER NOT NULL,
  used_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX idempotency_used ON idempotency(used_ms);

CREATE VIEW live_words AS
  SELECT slot, title, content, tags, grams FROM observations WHERE deleted_ms IS NULL;
CREATE VIRTUAL TABLE words USING fts5(title, content, tags, grams,
  content='live_words', content_rowid='slot', columnsize=0,
  tokenize=')sql" SQLITE_TOKENIZER R"sql(');

CREATE TRIGGER observations_inserted AFTER INSERT ON observations WHEN new.deleted_ms IS NULL BEGIN
  UPDATE ranges SET live_rows = live_rows + 1, live_words = live_words + new.words
    WHERE number = new.range;
END;
CREATE TRIGGER observations_updated AFTER UPDATE OF words, deleted_ms ON observations BEGIN
  UPDATE ranges SET live_rows = live_rows - 1, live_words = live_words - old.words
    WHERE number = old.range AND old.deleted_ms IS NULL;
  UPDATE ranges SET live_rows = live_rows + 1, live_words = live_words + new.words
    WHERE number = new.range AND new.deleted_ms IS NULL;
END;
CREATE TRIGGER observations_deleted AFTER DELETE ON observations WHEN old.deleted_ms IS NULL BEGIN
  UPDATE ranges SET live_rows = live_rows - 1, live_words = live_words - old.words
    WHERE number = old.range;
END;
)sql";

// The number of live rows in all ranges, for the quota: read at each commit.
constexpr const char* kCountRows = R"sql(
INSERT INTO counters SELECT 'live_rows', coalesce(sum(live_rows), 0) FROM ranges;
CREATE TRIGGER ranges_counted AFTER UPDATE OF live_rows ON ranges BEGIN
  UPDATE counters SET value = value + new.live_rows - old.live_rows WHERE name = 'live_rows';
END;
)sql";

// Rows that are not in the full-text index yet; the content view of the index excludes them.
constexpr const char* kWaiting = R"sql(
CREATE TABLE waiting(slot INTEGER PRIMARY KEY, length INTEGER NOT NULL);
DROP VIEW live_words;
CREATE VIEW live_words AS
  SELECT slot, title, content, tags, grams FROM observations o
  WHERE deleted_ms IS NULL AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.slot = o.slot);
)sql";

// rules    retention rules of a project, as JSON; a project without any has the server's
// uses     when a row was last read or found; a table of its own, so that reads rewrite no content
// retired  rows that retention hid (reason: ttl or cap), unlike those that a client deleted
constexpr const char* kRetention = R"sql(
CREATE TABLE retention(
  project INTEGER PRIMARY KEY REFERENCES projects(number),
  rules TEXT NOT NULL);
CREATE TABLE uses(slot INTEGER PRIMARY KEY, used_ms INTEGER NOT NULL);
CREATE TABLE retired(slot INTEGER PRIMARY KEY, reason TEXT NOT NULL);
CREATE INDEX observations_hidden ON observations(deleted_ms) WHERE deleted_ms IS NOT NULL;
CREATE TRIGGER observations_gone AFTER DELETE ON observations BEGIN
  DELETE FROM uses WHERE slot = old.slot;
  DELETE FROM retired WHERE slot = old.slot;
END;
CREATE TRIGGER observations_back AFTER UPDATE OF deleted_ms ON observations
  WHEN new.deleted_ms IS NULL BEGIN
  DELETE FROM retired WHERE slot = new.slot;
END;
)sql";

// For queries that may be a topic key: within the queried ranges only.
constexpr const char* kTopics = R"sql(
CREATE INDEX observations_topics ON observations(range, topic_key)
  WHERE topic_key IS NOT NULL AND deleted_ms IS NULL;
)sql";

// The newest row of a text, type, scope and rule is the first entry of its stretch. Without
// deleted_ms, so that a soft delete changes no page of it.
constexpr const char* kTwins = R"sql(
DROP INDEX observations_hash;
CREATE INDEX observations_twins
  ON observations(hash, project, scope, type, rule, content_ms DESC);
)sql";

// salt       of this file, for the digests: guessing a text requires the file
// digest     of the body of a key; NULL: of an earlier version, which compared no bodies
// deletions  rows that clients deleted, for imports (deletions.h): digests of the place (NULL: the
//            text was written again) and of the text; number: their order, the oldest go first
constexpr const char* kKeysAndDeletions = R"sql(
CREATE TABLE salt(value TEXT NOT NULL);
INSERT INTO salt VALUES(lower(hex(randomblob(16))));
ALTER TABLE idempotency ADD COLUMN digest INTEGER;
CREATE TABLE deletions(
  number INTEGER PRIMARY KEY,
  place INTEGER,
  text INTEGER NOT NULL,
  created_ms INTEGER NOT NULL);
CREATE INDEX deletions_place ON deletions(place) WHERE place IS NOT NULL;
CREATE INDEX deletions_newest ON deletions(text);
CREATE INDEX deletions_text ON deletions(text, created_ms) WHERE place IS NOT NULL;
)sql";

// observations_recent  with the type before the time: lists of a type, and those without logs, read
//                      only rows that they return; writes cost about the same (docs/adr/0042)
// observations_shared  the same of scope global, by the project that wrote the row
// sessions             of a project; shared_rows: its live rows of scope global
// mixed                a session's rows were not written in the order of (created_ms, id), whose
//                      last is last_ms, last_id: else their positions are that order
constexpr const char* kLists = R"sql(
DROP INDEX observations_recent;
CREATE INDEX observations_recent ON observations(range, type, updated_ms, id)
  WHERE deleted_ms IS NULL;
CREATE INDEX observations_shared ON observations(project, type, updated_ms, id)
  WHERE range = 0 AND deleted_ms IS NULL;
CREATE INDEX sessions_newest ON sessions(started_ms);
CREATE INDEX sessions_newest_summaries ON sessions(summarized_ms) WHERE summarized_ms > 0;

ALTER TABLE sessions ADD COLUMN last_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN last_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN mixed INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET (last_ms, last_id) = (SELECT o.created_ms, o.id FROM observations o
    WHERE o.session = sessions.number ORDER BY o.position DESC LIMIT 1)
  WHERE EXISTS (SELECT 1 FROM observations o WHERE o.session = sessions.number);
UPDATE sessions SET mixed = 1 WHERE number IN (
  SELECT o.session FROM (
    SELECT session, slot, created_ms, lag(created_ms) OVER w AS earlier_ms,
      lag(slot) OVER w AS earlier_slot
      FROM observations WINDOW w AS (PARTITION BY session ORDER BY position)) o
  WHERE o.created_ms < o.earlier_ms OR o.created_ms = o.earlier_ms AND
    (SELECT id FROM observations WHERE slot = o.slot) <
    (SELECT id FROM observations WHERE slot = o.earlier_slot));

ALTER TABLE ranges ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ranges ADD COLUMN shared_rows INTEGER NOT NULL DEFAULT 0;
UPDATE ranges SET
  sessions = (SELECT count(*) FROM sessions s WHERE s.project = ranges.number),
  shared_rows = (SELECT count(*) FROM observations o
    WHERE o.range = 0 AND o.deleted_ms IS NULL AND o.project = ranges.number);
CREATE TRIGGER sessions_made AFTER INSERT ON sessions BEGIN
  UPDATE ranges SET sessions = sessions + 1 WHERE number = new.project;
END;
CREATE TRIGGER sessions_gone AFTER DELETE ON sessions BEGIN
  UPDATE ranges SET sessions = sessions - 1 WHERE number = old.project;
END;
CREATE TRIGGER shared_inserted AFTER INSERT ON observations
  WHEN new.range = 0 AND new.deleted_ms IS NULL BEGIN
  UPDATE ranges SET shared_rows = shared_rows + 1 WHERE number = new.project;
END;
CREATE TRIGGER shared_updated AFTER UPDATE OF deleted_ms ON observations WHEN new.range = 0 BEGIN
  UPDATE ranges
    SET shared_rows = shared_rows + (new.deleted_ms IS NULL) - (old.deleted_ms IS NULL)
    WHERE number = new.project;
END;
CREATE TRIGGER shared_deleted AFTER DELETE ON observations
  WHEN old.range = 0 AND old.deleted_ms IS NULL BEGIN
  UPDATE ranges SET shared_rows = shared_rows - 1 WHERE number = old.project;
END;
)sql";

// Embeddings of rows (vectors.h) by the model of this number. Triggers delete the vector of a
// changed or removed row.
constexpr const char* kVectors = R"sql(
CREATE TABLE vectors(slot INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TRIGGER vectors_outdated AFTER UPDATE OF title, content ON observations
  WHEN new.title <> old.title OR new.content <> old.content BEGIN
  DELETE FROM vectors WHERE slot = old.slot;
END;
CREATE TRIGGER vectors_gone AFTER DELETE ON observations BEGIN
  DELETE FROM vectors WHERE slot = old.slot;
END;
)sql";

// The next turn of each owner.
constexpr const char* kTurnsOfOwners =
    "CREATE INDEX ingest_turns_of_owners ON ingest_turns(owner, tries, number) "
    "WHERE state = 'pending'";

// owner: digest of the scope and scope id of a trace that was not of the whole project; an import
// of another user, who brings the same text, does not ask for it.
constexpr const char* kDeletionOwners = R"sql(
ALTER TABLE deletions ADD COLUMN owner INTEGER;
CREATE INDEX deletions_owned ON deletions(text, owner);
)sql";

}  // namespace

const std::vector<const char*>& SchemaSteps() {
  static const std::string conversations =
      std::string(conversation::kSchema) + conversation::kAgeStep + ";" +
      conversation::kChecksumStep + conversation::kErrorStep + ";" + conversation::kSystemStep +
      ";" + conversation::kLedgerSchema;
  static const std::string callers =
      std::string(conversation::kOwnerStep) + conversation::kFieldsStep + conversation::kBlockStep;
  static const std::vector<const char*> kSteps = {kFirst,
                                                  kWaiting,
                                                  kCountRows,
                                                  kRetention,
                                                  kTopics,
                                                  kTwins,
                                                  kKeysAndDeletions,
                                                  kLists,
                                                  kVectors,
                                                  conversations.c_str(),
                                                  kItems,
                                                  kEpisodes,
                                                  callers.c_str(),
                                                  kShared,
                                                  conversation::kTaskStep,
                                                  kRemoteVectors,
                                                  kItemVectors,
                                                  conversation::kCheckpointStep,
                                                  kTraces,
                                                  kConsolidation,
                                                  kTurns,
                                                  kDeadTurns,
                                                  kDerivedRuns,
                                                  kUncutStep,
                                                  kTurnsOfOwners,
                                                  kTraceOwners,
                                                  kDeletionOwners};
  return kSteps;
}

}  // namespace memory
