// Steps of the schema; a released step never changes. Triggers maintain the totals of each owner.
#include "lib/conversation/sqlite/schema.h"

#include "lib/conversation/checkpoint/checkpoint.h"

namespace conversation {

static_assert(kCheckpointRowBytes == 512);  // as in the triggers

const char* const kSchema = R"sql(
CREATE TABLE conversations(
  id TEXT PRIMARY KEY NOT NULL,
  memory_session_id TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'open' CHECK(state IN ('open', 'ended')),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0,
  fields TEXT NOT NULL DEFAULT '{}',
  touched INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX conversation_by_use ON conversations(touched);
CREATE TABLE messages(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation TEXT NOT NULL REFERENCES conversations(id),
  sequence INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  tool_calls TEXT,
  tool_call_id TEXT NOT NULL DEFAULT '',
  created_ms INTEGER NOT NULL,
  UNIQUE(conversation, sequence)
) STRICT;
)sql";

const char* const kAgeStep = "CREATE INDEX conversation_by_age ON conversations(state, updated_ms)";

// Existing messages may be many: AddChecksums adds their checksums in batches.
const char* const kChecksumStep = R"sql(
ALTER TABLE messages ADD COLUMN checksum INTEGER;
CREATE INDEX message_without_checksum ON messages(number) WHERE checksum IS NULL;
ALTER TABLE conversations ADD COLUMN fields_checksum INTEGER;
UPDATE conversations SET fields_checksum = row_checksum(id, fields);
)sql";

const char* const kErrorStep =
    "ALTER TABLE messages ADD COLUMN is_error INTEGER NOT NULL DEFAULT 0";

// A trim keeps all system messages and must not scan every message for them.
const char* const kSystemStep =
    "CREATE INDEX system_messages ON messages(conversation, sequence) WHERE role = 'system'";

const char* const kOwnerStep = R"sql(
CREATE INDEX conversation_by_owner ON conversations(substr(id, 1, instr(id, char(10))), touched);
CREATE TABLE conversation_bytes(
  conversation TEXT PRIMARY KEY NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER messages_weighed AFTER INSERT ON messages BEGIN
  INSERT INTO conversation_bytes VALUES(new.conversation,
      length(CAST(new.content AS BLOB)) + coalesce(length(CAST(new.tool_calls AS BLOB)), 0) + 100)
    ON CONFLICT(conversation) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
)sql";

const char* const kBlockStep = R"sql(
CREATE TABLE blocks(
  number INTEGER PRIMARY KEY,
  conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
  block INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER,
  query TEXT NOT NULL,
  outcome TEXT NOT NULL,
  summary TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  tools TEXT NOT NULL,
  digested INTEGER NOT NULL,
  opened_ms INTEGER NOT NULL,
  closed_ms INTEGER NOT NULL,
  checksum INTEGER,
  UNIQUE(conversation, block)
) STRICT;
CREATE UNIQUE INDEX open_blocks ON blocks(conversation) WHERE last IS NULL;
CREATE INDEX undigested_blocks ON blocks(conversation, block) WHERE digested = 0;
CREATE TABLE block_forms(
  number INTEGER PRIMARY KEY REFERENCES blocks(number) ON DELETE CASCADE,
  parts TEXT NOT NULL,
  checksum INTEGER
) STRICT;
CREATE INDEX user_messages ON messages(conversation, sequence) WHERE role = 'user';
)sql";

const char* const kCheckpointStep = R"sql(
CREATE TABLE checkpoints(
  number INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  conversation TEXT NOT NULL,
  generation INTEGER NOT NULL,
  step INTEGER NOT NULL,
  saved_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  document TEXT NOT NULL,
  UNIQUE(conversation, generation)
) STRICT;
CREATE INDEX checkpoints_by_end ON checkpoints(expires_ms);
CREATE TABLE checkpoint_totals(
  owner TEXT PRIMARY KEY NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER checkpoint_made AFTER INSERT ON checkpoints BEGIN
  INSERT INTO checkpoint_totals VALUES(new.owner, new.bytes + 512) ON CONFLICT(owner)
    DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER checkpoint_gone AFTER DELETE ON checkpoints BEGIN
  UPDATE checkpoint_totals SET bytes = bytes - old.bytes - 512 WHERE owner = old.owner;
  DELETE FROM checkpoint_totals WHERE owner = old.owner AND bytes <= 0;
END;
)sql";

const char* const kFieldsStep = R"sql(
CREATE TABLE working_memory(
  number INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  conversation TEXT NOT NULL UNIQUE,
  fields TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  version INTEGER NOT NULL,
  ttl_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX working_memory_by_end ON working_memory(expires_ms);
CREATE TABLE working_memory_clock(
  only_one INTEGER PRIMARY KEY CHECK(only_one = 1),
  now_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE working_memory_totals(
  owner TEXT PRIMARY KEY NOT NULL,
  conversations INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER working_memory_made AFTER INSERT ON working_memory BEGIN
  INSERT INTO working_memory_totals VALUES(new.owner, 1, new.bytes) ON CONFLICT(owner)
    DO UPDATE SET conversations = conversations + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER working_memory_changed AFTER UPDATE OF bytes ON working_memory BEGIN
  UPDATE working_memory_totals SET bytes = bytes + new.bytes - old.bytes WHERE owner = new.owner;
END;
CREATE TRIGGER working_memory_gone AFTER DELETE ON working_memory BEGIN
  UPDATE working_memory_totals SET conversations = conversations - 1, bytes = bytes - old.bytes
    WHERE owner = old.owner;
  DELETE FROM working_memory_totals WHERE owner = old.owner AND conversations = 0;
END;
)sql";

const char* const kSeenItemsSchema = R"sql(
CREATE TABLE seen_items(
  conversation TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY(conversation, key)
) STRICT, WITHOUT ROWID;
)sql";

#define LEDGER_TABLE                  \
  "CREATE TABLE ledger("              \
  "  conversation TEXT NOT NULL,"     \
  "  item TEXT NOT NULL,"             \
  "  value TEXT NOT NULL,"            \
  "  turn INTEGER NOT NULL,"          \
  "  marked_ms INTEGER NOT NULL,"     \
  "  PRIMARY KEY(conversation, item)" \
  ") STRICT, WITHOUT ROWID;"
const char* const kLedgerSchema = LEDGER_TABLE;

// Migrates the older list of keys, where the revision is the last part of an observation's key; the
// highest revision wins.
const char* const kLedgerStep = LEDGER_TABLE R"sql(
INSERT OR REPLACE INTO ledger(conversation, item, value, turn, marked_ms)
  SELECT conversation,
    substr(key, 1, 11 + instr(substr(key, 13), ':')),
    substr(key, 13 + instr(substr(key, 13), ':')), 0, 0
  FROM seen_items WHERE key LIKE 'observation:%:%' ORDER BY length(key), key;
INSERT OR REPLACE INTO ledger(conversation, item, value, turn, marked_ms)
  SELECT conversation, key, 'injected', 0, 0
  FROM seen_items WHERE key NOT LIKE 'observation:%:%';
DROP TABLE seen_items;
)sql";

const char* const kTaskStep = R"sql(
CREATE TABLE task_states(
  conversation TEXT PRIMARY KEY NOT NULL,
  state TEXT NOT NULL,
  updated_ms INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
)sql";

}  // namespace conversation
