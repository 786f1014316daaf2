// Steps of the schema (schema.cc) for items, shared memory and episodes. They never change.
#pragma once

#include "lib/sqlite/scratch_index.h"

namespace memory {

// Key-value items (memory/sqlite/items). over_ms: NULL: never. item_words keeps no texts.
// item_counts: of a project, kept by triggers; next: the number of its next item. Items count among
// the rows of the quota.
inline constexpr const char* kItems = R"sql(
INSERT INTO counters VALUES('item_version', 0);
CREATE TABLE items(
  slot INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES projects(number),
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  accessed_ms INTEGER NOT NULL,
  ttl_ns INTEGER NOT NULL,
  over_ms INTEGER,
  words INTEGER NOT NULL,
  marks INTEGER NOT NULL,
  value TEXT NOT NULL,
  metadata TEXT NOT NULL);
CREATE UNIQUE INDEX items_key ON items(project, key);
CREATE INDEX items_accessed ON items(project, accessed_ms);
CREATE INDEX items_over ON items(over_ms) WHERE over_ms IS NOT NULL;
CREATE VIRTUAL TABLE item_words USING fts5(title, content, tags, grams,
  content='', columnsize=0, tokenize=')sql" SQLITE_TOKENIZER R"sql(');
CREATE TABLE item_counts(
  project INTEGER PRIMARY KEY REFERENCES projects(number),
  rows INTEGER NOT NULL DEFAULT 0,
  words INTEGER NOT NULL DEFAULT 0,
  next INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER items_inserted AFTER INSERT ON items BEGIN
  UPDATE item_counts SET rows = rows + 1, words = words + new.words WHERE project = new.project;
  UPDATE counters SET value = value + 1 WHERE name = 'live_rows';
END;
CREATE TRIGGER items_deleted AFTER DELETE ON items BEGIN
  UPDATE item_counts SET rows = rows - 1, words = words - old.words WHERE project = old.project;
  UPDATE counters SET value = value - 1 WHERE name = 'live_rows';
END;
)sql";

// Shared memory (memory/sqlite/cells). over_ms: NULL: never. shared_version: the last version.
// shared_owners: rows and bytes of each, by triggers. Values count as rows of the quota.
inline constexpr const char* kShared = R"sql(
INSERT INTO counters VALUES('shared_version', 0);
CREATE TABLE shared_items(
  slot INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  over_ms INTEGER,
  bytes INTEGER NOT NULL,
  value TEXT NOT NULL,
  UNIQUE(owner, key));
CREATE INDEX shared_items_over ON shared_items(over_ms) WHERE over_ms IS NOT NULL;
CREATE TABLE shared_owners(
  owner TEXT PRIMARY KEY,
  rows INTEGER NOT NULL,
  bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER shared_items_inserted AFTER INSERT ON shared_items BEGIN
  INSERT INTO shared_owners VALUES(new.owner, 1, new.bytes)
    ON CONFLICT(owner) DO UPDATE SET rows = rows + 1, bytes = bytes + excluded.bytes;
  UPDATE counters SET value = value + 1 WHERE name = 'live_rows';
END;
CREATE TRIGGER shared_items_updated AFTER UPDATE OF bytes ON shared_items BEGIN
  UPDATE shared_owners SET bytes = bytes + new.bytes - old.bytes WHERE owner = new.owner;
END;
CREATE TRIGGER shared_items_deleted AFTER DELETE ON shared_items BEGIN
  UPDATE shared_owners SET rows = rows - 1, bytes = bytes - old.bytes WHERE owner = old.owner;
  DELETE FROM shared_owners WHERE owner = old.owner AND rows = 0;
  UPDATE counters SET value = value - 1 WHERE name = 'live_rows';
END;
)sql";

// The fields of an episode other than those of its observation, which is in `slot`. digest: of the
// received summary; fields: key decisions, entities, tools and metadata, as JSON.
inline constexpr const char* kEpisodes = R"sql(
CREATE TABLE episodes(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  slot INTEGER NOT NULL,
  project INTEGER NOT NULL REFERENCES projects(number),
  conversation TEXT NOT NULL,
  digest TEXT NOT NULL,
  agent TEXT NOT NULL,
  user TEXT,
  created_ms INTEGER NOT NULL,
  fields TEXT NOT NULL);
CREATE INDEX episodes_slot ON episodes(slot, agent);
CREATE INDEX episodes_conversation ON episodes(project, conversation, created_ms);
CREATE TRIGGER episodes_gone AFTER DELETE ON observations BEGIN
  DELETE FROM episodes WHERE slot = old.slot;
END;
)sql";

}  // namespace memory
