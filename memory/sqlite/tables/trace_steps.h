// Steps of the schema (schema.cc) for traces. They never change.
#pragma once

namespace memory {

// The trace of an observation (memory/sqlite/traces); its kind is the row's type. scope_id: the
// owner within the scope; merged_into: the uuid of the trace that replaced it; extras: emotions and
// metadata, as JSON. trace_edges: at most one from one trace to another.
inline constexpr const char* kTraces = R"sql(
CREATE TABLE traces(
  slot INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  strength REAL NOT NULL,
  accessed_ms INTEGER NOT NULL,
  retrievals INTEGER NOT NULL,
  remind_ms INTEGER,
  reason TEXT NOT NULL,
  merged_into TEXT,
  extras TEXT NOT NULL);
CREATE INDEX traces_merged ON traces(merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX traces_remind ON traces(remind_ms) WHERE remind_ms IS NOT NULL;
CREATE TABLE trace_edges(
  from_slot INTEGER NOT NULL,
  to_slot INTEGER NOT NULL,
  kind TEXT NOT NULL,
  weight REAL NOT NULL,
  PRIMARY KEY(from_slot, to_slot)) WITHOUT ROWID;
CREATE INDEX trace_edges_to ON trace_edges(to_slot);
CREATE TRIGGER traces_gone AFTER DELETE ON observations BEGIN
  DELETE FROM traces WHERE slot = old.slot;
  DELETE FROM trace_edges WHERE from_slot = old.slot OR to_slot = old.slot;
END;
)sql";

// Consolidation (memory/sqlite/consolidation). trace_pairs: traces retrieved together since the
// last run. trace_originals: texts before their gist, deflated; digest: SHA-256 of the text;
// revision: of the row with the gist. consolidation_log: runs with their context (JSON) and counts;
// undone_ms: NULL: not undone. consolidation_actions: each change, for the undo.
inline constexpr const char* kConsolidation = R"sql(
CREATE TABLE trace_pairs(
  low INTEGER NOT NULL,
  high INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY(low, high)) WITHOUT ROWID;
CREATE TABLE trace_originals(
  slot INTEGER PRIMARY KEY,
  archived_ms INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  deflated BLOB NOT NULL);
CREATE TABLE archive_access_log(
  number INTEGER PRIMARY KEY,
  slot INTEGER NOT NULL,
  accessed_ms INTEGER NOT NULL);
CREATE INDEX archive_access_slot ON archive_access_log(slot, accessed_ms);
CREATE TABLE consolidation_log(
  number INTEGER PRIMARY KEY,
  run TEXT NOT NULL UNIQUE,
  context TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  counts TEXT NOT NULL,
  undone_ms INTEGER);
CREATE TABLE consolidation_actions(
  number INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES consolidation_log(number),
  step TEXT NOT NULL,
  slot INTEGER NOT NULL,
  other INTEGER NOT NULL,
  before REAL);
CREATE INDEX consolidation_actions_run ON consolidation_actions(run, number);
CREATE TRIGGER trace_archive_gone AFTER DELETE ON observations BEGIN
  DELETE FROM trace_originals WHERE slot = old.slot;
  DELETE FROM archive_access_log WHERE slot = old.slot;
END;
)sql";

// Turns whose facts are extracted after the answer (memory/sqlite/turns). state: pending, done,
// failed; done turns lose their texts. digest: of the body, for a repeated key. turn_tokens: of a
// user and agent (owner), since the last note and the last run of consolidation.
inline constexpr const char* kTurns = R"sql(
CREATE TABLE ingest_turns(
  number INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL,
  owner TEXT NOT NULL,
  context TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL DEFAULT '[]',
  received_ms INTEGER NOT NULL);
CREATE INDEX ingest_turns_pending ON ingest_turns(tries, number) WHERE state = 'pending';
CREATE INDEX ingest_turns_done ON ingest_turns(received_ms) WHERE state = 'done';
CREATE TABLE turn_tokens(
  owner TEXT PRIMARY KEY,
  since_note INTEGER NOT NULL,
  since_reflect INTEGER NOT NULL) WITHOUT ROWID;
)sql";

// Counts dead letters.
inline constexpr const char* kDeadTurns = R"sql(
CREATE INDEX ingest_turns_failed ON ingest_turns(number) WHERE state = 'failed';
)sql";

// Insights are derived after a run (memory/sqlite/consolidation/derive.cc). derive: '' (a run
// without), pending, done, or the reason for none; request: the context of the traces, as JSON.
inline constexpr const char* kDerivedRuns = R"sql(
ALTER TABLE consolidation_log ADD COLUMN derive TEXT NOT NULL DEFAULT '';
ALTER TABLE consolidation_log ADD COLUMN request TEXT NOT NULL DEFAULT '';
CREATE INDEX consolidation_log_pending ON consolidation_log(number) WHERE derive = 'pending';
)sql";

// Reads of one owner cost what the owner has. text: the head of the row's hash, for the search of
// equal texts of an owner. trace_sources: of which rows a merged trace was made, also after an
// unmerge: the merged row keeps their texts. A trace has at most 256 edges, and 16 pairs with
// others behind it. after: the weight of an edge that a run wrote.
inline constexpr const char* kTraceOwners = R"sql(
DROP INDEX traces_remind;
CREATE INDEX traces_due ON traces(scope, scope_id, remind_ms) WHERE remind_ms IS NOT NULL;
CREATE INDEX traces_owner ON traces(scope, scope_id);
ALTER TABLE traces ADD COLUMN text TEXT NOT NULL DEFAULT '';
UPDATE traces SET text = coalesce(
  (SELECT substr(o.hash, 1, 16) FROM observations o WHERE o.slot = traces.slot), '');
CREATE INDEX traces_text ON traces(text, scope, scope_id);
CREATE TRIGGER traces_text_changed AFTER UPDATE OF hash ON observations
  WHEN new.hash <> old.hash BEGIN
  UPDATE traces SET text = substr(new.hash, 1, 16) WHERE slot = new.slot;
END;

CREATE TABLE trace_sources(
  merged INTEGER NOT NULL,
  source INTEGER NOT NULL,
  PRIMARY KEY(merged, source)) WITHOUT ROWID;
CREATE INDEX trace_sources_of ON trace_sources(source);
INSERT INTO trace_sources SELECT m.slot, t.slot FROM traces t JOIN traces m
  ON m.uuid = t.merged_into;

DELETE FROM trace_pairs WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.slot = low)
  OR NOT EXISTS (SELECT 1 FROM traces t WHERE t.slot = high);
DELETE FROM trace_pairs WHERE (low, high) IN (SELECT low, high FROM (
  SELECT low, high, row_number() OVER (PARTITION BY low ORDER BY times DESC, high) AS place
    FROM trace_pairs) WHERE place > 16);
CREATE INDEX trace_pairs_high ON trace_pairs(high);
CREATE TRIGGER trace_sources_gone AFTER DELETE ON observations BEGIN
  DELETE FROM trace_sources WHERE merged = old.slot;
  DELETE FROM trace_sources WHERE source = old.slot;
  DELETE FROM trace_pairs WHERE low = old.slot;
  DELETE FROM trace_pairs WHERE high = old.slot;
END;

DELETE FROM trace_edges WHERE (from_slot, to_slot) IN (SELECT from_slot, to_slot FROM (
  SELECT e.from_slot, e.to_slot, row_number() OVER (
      PARTITION BY e.from_slot ORDER BY o.deleted_ms IS NOT NULL, e.weight DESC, e.to_slot) AS place
    FROM trace_edges e LEFT JOIN observations o ON o.slot = e.to_slot
    WHERE e.from_slot IN (
      SELECT from_slot FROM trace_edges GROUP BY from_slot HAVING count(*) > 256))
  WHERE place > 256);
ALTER TABLE consolidation_actions ADD COLUMN after REAL;
)sql";

}  // namespace memory
