// Conversations with their messages, blocks, fields, checkpoints, ledgers and tasks: the tables of
// lib/conversation/sqlite/schema.cc, like those of schema_rows.h. Released steps never change.
#pragma once

namespace memory {

// The columns for checksums stay, so that statements name the same ones on both engines.
inline constexpr const char* kPostgresConversations = R"sql(
CREATE TABLE conversations(
  tenant bigint, id text, memory_session_id text NOT NULL DEFAULT '',
  state text NOT NULL DEFAULT 'open' CHECK(state IN ('open', 'ended')), created_ms bigint NOT NULL,
  updated_ms bigint NOT NULL, message_count bigint NOT NULL DEFAULT 0,
  turn bigint NOT NULL DEFAULT 0, fields text NOT NULL DEFAULT '{}',
  touched bigint NOT NULL DEFAULT 0, fields_checksum bigint, PRIMARY KEY(tenant, id));
CREATE INDEX conversation_by_use ON conversations(tenant, touched);
CREATE INDEX conversation_by_age ON conversations(tenant, state, updated_ms);
CREATE TABLE messages(
  tenant bigint, number bigint, conversation text NOT NULL, sequence bigint NOT NULL,
  role text NOT NULL, content text NOT NULL, tool_calls text,
  tool_call_id text NOT NULL DEFAULT '', created_ms bigint NOT NULL, checksum bigint,
  is_error bigint NOT NULL DEFAULT 0,
  PRIMARY KEY(tenant, number), UNIQUE(tenant, conversation, sequence));
CREATE INDEX system_messages ON messages(tenant, conversation, sequence) WHERE role = 'system';
CREATE INDEX user_messages ON messages(tenant, conversation, sequence) WHERE role = 'user';
CREATE TABLE conversation_bytes(
  tenant bigint, conversation text, bytes bigint NOT NULL, PRIMARY KEY(tenant, conversation));
CREATE TABLE blocks(
  tenant bigint, number bigint, conversation text NOT NULL, block bigint NOT NULL,
  first bigint NOT NULL, last bigint, query text NOT NULL, outcome text NOT NULL,
  summary text NOT NULL, tokens bigint NOT NULL, tools text NOT NULL, digested bigint NOT NULL,
  opened_ms bigint NOT NULL, closed_ms bigint NOT NULL, checksum bigint,
  PRIMARY KEY(tenant, number), UNIQUE(tenant, conversation, block),
  FOREIGN KEY(tenant, conversation) REFERENCES conversations ON DELETE CASCADE);
CREATE UNIQUE INDEX open_blocks ON blocks(tenant, conversation) WHERE last IS NULL;
CREATE INDEX undigested_blocks ON blocks(tenant, conversation, block) WHERE digested = 0;
CREATE TABLE block_forms(
  tenant bigint, number bigint, parts text NOT NULL, checksum bigint, PRIMARY KEY(tenant, number),
  FOREIGN KEY(tenant, number) REFERENCES blocks ON DELETE CASCADE);
CREATE TABLE working_memory(
  tenant bigint, number bigint, owner text NOT NULL, conversation text NOT NULL,
  fields text NOT NULL, bytes bigint NOT NULL, version bigint NOT NULL, ttl_ms bigint NOT NULL,
  expires_ms bigint NOT NULL, checksum bigint NOT NULL,
  PRIMARY KEY(tenant, number), UNIQUE(tenant, conversation));
CREATE INDEX working_memory_by_end ON working_memory(tenant, expires_ms);
CREATE TABLE working_memory_clock(
  tenant bigint, only_one bigint CHECK(only_one = 1), now_ms bigint NOT NULL,
  PRIMARY KEY(tenant, only_one));
CREATE TABLE working_memory_totals(
  tenant bigint, owner text, conversations bigint NOT NULL, bytes bigint NOT NULL,
  PRIMARY KEY(tenant, owner));
CREATE TABLE checkpoints(
  tenant bigint, number bigint, owner text NOT NULL, conversation text NOT NULL,
  generation bigint NOT NULL, step bigint NOT NULL, saved_ms bigint NOT NULL,
  expires_ms bigint NOT NULL, bytes bigint NOT NULL, sha256 text NOT NULL,
  checksum bigint NOT NULL, document text NOT NULL,
  PRIMARY KEY(tenant, number), UNIQUE(tenant, conversation, generation));
CREATE INDEX checkpoints_by_end ON checkpoints(tenant, expires_ms);
CREATE TABLE checkpoint_totals(
  tenant bigint, owner text, bytes bigint NOT NULL, PRIMARY KEY(tenant, owner));
CREATE TABLE ledger(
  tenant bigint, conversation text, item text, value text NOT NULL, turn bigint NOT NULL,
  marked_ms bigint NOT NULL, PRIMARY KEY(tenant, conversation, item));
CREATE TABLE task_states(
  tenant bigint, conversation text, state text NOT NULL, updated_ms bigint NOT NULL,
  checksum bigint NOT NULL, PRIMARY KEY(tenant, conversation));

CREATE FUNCTION messages_weighed() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  INSERT INTO agent_memory.conversation_bytes VALUES(new.conversation,
      octet_length(new.content) + coalesce(octet_length(new.tool_calls), 0) + 100)
    ON CONFLICT(tenant, conversation) DO UPDATE
    SET bytes = conversation_bytes.bytes + excluded.bytes;
  RETURN NULL;
END $f$;
CREATE TRIGGER weighed AFTER INSERT ON messages
  FOR EACH ROW WHEN (NOT agent_memory_rows.copying()) EXECUTE FUNCTION messages_weighed();

SELECT agent_memory_rows.sum_up('working_memory', 'working_memory_totals', 'conversations');

CREATE FUNCTION checkpoints_changed() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF tg_op = 'INSERT' THEN
    INSERT INTO agent_memory.checkpoint_totals VALUES(new.owner, new.bytes + 512)
      ON CONFLICT(tenant, owner) DO UPDATE SET bytes = checkpoint_totals.bytes + excluded.bytes;
  ELSE
    UPDATE agent_memory.checkpoint_totals SET bytes = bytes - old.bytes - 512
      WHERE owner = old.owner;
    DELETE FROM agent_memory.checkpoint_totals WHERE owner = old.owner AND bytes <= 0;
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER changed AFTER INSERT OR DELETE ON checkpoints
  FOR EACH ROW WHEN (NOT agent_memory_rows.copying()) EXECUTE FUNCTION checkpoints_changed();
)sql";

// Of every table but that of the tenants; and the tables whose rows get a number.
inline constexpr const char* kPostgresFences = R"sql(
SELECT agent_memory_rows.fence(tablename) FROM pg_tables
  WHERE schemaname = 'agent_memory_rows' AND tablename NOT IN ('tenants', 'probes', 'schema_versions');
SELECT agent_memory_rows.number(name, 'number', false) FROM unnest(ARRAY['projects', 'sessions',
  'deletions', 'archive_access_log', 'consolidation_log', 'consolidation_actions', 'ingest_turns',
  'blocks', 'working_memory', 'checkpoints']) name;
SELECT agent_memory_rows.number('shared_items', 'slot', false),
  agent_memory_rows.number('messages', 'number', true),
  agent_memory_rows.number('episodes', 'id', true);
-- What HasTable asks: all tables are there.
CREATE VIEW agent_memory.sqlite_schema AS
  SELECT 'table' AS type, tablename::text AS name FROM pg_tables
  WHERE schemaname = 'agent_memory_rows';
)sql";

}  // namespace memory
