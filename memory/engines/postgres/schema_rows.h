// Observations and what belongs to them, items, shared memory, traces and turns: the tables of
// memory/sqlite/tables/schema.cc with its columns in the same order, since statements insert rows
// without naming them. What the columns mean is said there. Released steps never change.
#pragma once

namespace memory {

inline constexpr const char* kPostgresRows = R"sql(
CREATE TABLE counters(tenant bigint, name text, value bigint NOT NULL, PRIMARY KEY(tenant, name));
CREATE TABLE projects(
  tenant bigint, number bigint, name text NOT NULL, folded text NOT NULL,
  PRIMARY KEY(tenant, number), UNIQUE(tenant, folded));
CREATE TABLE ranges(
  tenant bigint, number bigint, next bigint NOT NULL DEFAULT 1,
  live_rows bigint NOT NULL DEFAULT 0, live_words bigint NOT NULL DEFAULT 0,
  sessions bigint NOT NULL DEFAULT 0, shared_rows bigint NOT NULL DEFAULT 0,
  PRIMARY KEY(tenant, number));
CREATE TABLE sessions(
  tenant bigint, number bigint, id text NOT NULL, project bigint NOT NULL,
  started_ms bigint NOT NULL, ended_ms bigint NOT NULL DEFAULT 0,
  summarized_ms bigint NOT NULL DEFAULT 0, message_count bigint NOT NULL DEFAULT 0,
  next_position bigint NOT NULL DEFAULT 1, implied bigint NOT NULL DEFAULT 0,
  summary text NOT NULL DEFAULT '', predecessor text NOT NULL DEFAULT '',
  last_ms bigint NOT NULL DEFAULT 0, last_id bigint NOT NULL DEFAULT 0,
  mixed bigint NOT NULL DEFAULT 0,
  PRIMARY KEY(tenant, number), UNIQUE(tenant, id));
CREATE INDEX sessions_started ON sessions(tenant, project, started_ms);
CREATE INDEX sessions_newest ON sessions(tenant, started_ms);
CREATE INDEX sessions_summarized ON sessions(tenant, project, summarized_ms)
  WHERE summarized_ms > 0;
CREATE INDEX sessions_newest_summaries ON sessions(tenant, summarized_ms) WHERE summarized_ms > 0;
CREATE TABLE observations(
  tenant bigint, slot bigint, id bigint NOT NULL, range bigint NOT NULL, project bigint NOT NULL,
  session bigint NOT NULL, position bigint NOT NULL, words bigint NOT NULL, marks bigint NOT NULL,
  created_ms bigint NOT NULL, updated_ms bigint NOT NULL, seen_ms bigint NOT NULL,
  content_ms bigint NOT NULL, deleted_ms bigint, revision_count bigint NOT NULL DEFAULT 1,
  duplicate_count bigint NOT NULL DEFAULT 0, type text NOT NULL, scope text NOT NULL,
  topic_key text, hash text NOT NULL, rule text NOT NULL, tool text NOT NULL,
  tool_call_id text NOT NULL, origin text NOT NULL, tags text NOT NULL, title text NOT NULL,
  grams text NOT NULL, content text NOT NULL,
  PRIMARY KEY(tenant, slot), UNIQUE(tenant, id));
CREATE UNIQUE INDEX observations_topic ON observations(tenant, topic_key, project, scope)
  WHERE topic_key IS NOT NULL AND deleted_ms IS NULL;
CREATE INDEX observations_session ON observations(tenant, session, position);
CREATE INDEX observations_hidden ON observations(tenant, deleted_ms) WHERE deleted_ms IS NOT NULL;
CREATE INDEX observations_topics ON observations(tenant, range, topic_key)
  WHERE topic_key IS NOT NULL AND deleted_ms IS NULL;
CREATE INDEX observations_twins
  ON observations(tenant, hash, project, scope, type, rule, content_ms DESC, slot);
CREATE INDEX observations_recent ON observations(tenant, range, type, updated_ms, id)
  WHERE deleted_ms IS NULL;
CREATE INDEX observations_shared ON observations(tenant, project, type, updated_ms, id)
  WHERE range = 0 AND deleted_ms IS NULL;
CREATE TABLE revisions(
  tenant bigint, id bigint, revision bigint, replaced_ms bigint NOT NULL,
  written_ms bigint NOT NULL, type text NOT NULL, title text NOT NULL, tags text NOT NULL,
  origin text NOT NULL, content text NOT NULL, PRIMARY KEY(tenant, id, revision));
CREATE TABLE tombstones(
  tenant bigint, id bigint, deleted_ms bigint NOT NULL, PRIMARY KEY(tenant, id));
CREATE TABLE idempotency(
  tenant bigint, key text, id bigint NOT NULL, action text NOT NULL,
  revision_count bigint NOT NULL, duplicate_count bigint NOT NULL, used_ms bigint NOT NULL,
  digest bigint, PRIMARY KEY(tenant, key));
CREATE INDEX idempotency_used ON idempotency(tenant, used_ms);
CREATE TABLE retention(tenant bigint, project bigint, rules text NOT NULL,
  PRIMARY KEY(tenant, project));
CREATE TABLE uses(tenant bigint, slot bigint, used_ms bigint NOT NULL, PRIMARY KEY(tenant, slot));
CREATE TABLE retired(tenant bigint, slot bigint, reason text NOT NULL, PRIMARY KEY(tenant, slot));
CREATE TABLE salt(tenant bigint PRIMARY KEY, value text NOT NULL);
CREATE TABLE deletions(
  tenant bigint, number bigint, place bigint, text bigint NOT NULL, created_ms bigint NOT NULL,
  owner bigint, PRIMARY KEY(tenant, number));
CREATE INDEX deletions_place ON deletions(tenant, place) WHERE place IS NOT NULL;
CREATE INDEX deletions_newest ON deletions(tenant, text, number);
CREATE INDEX deletions_text ON deletions(tenant, text, created_ms) WHERE place IS NOT NULL;
CREATE TABLE vectors(
  tenant bigint, slot bigint, model bigint NOT NULL, vector bytea NOT NULL,
  PRIMARY KEY(tenant, slot));
CREATE TABLE remote_vectors(LIKE vectors INCLUDING ALL);
CREATE INDEX remote_vectors_model ON remote_vectors(tenant, model, slot);
CREATE TABLE episodes(
  tenant bigint, id bigint, slot bigint NOT NULL, project bigint NOT NULL,
  conversation text NOT NULL, digest text NOT NULL, agent text NOT NULL, "user" text,
  created_ms bigint NOT NULL, fields text NOT NULL, PRIMARY KEY(tenant, id));
CREATE INDEX episodes_slot ON episodes(tenant, slot, agent);
CREATE INDEX episodes_conversation ON episodes(tenant, project, conversation, created_ms);
CREATE TABLE items(
  tenant bigint, slot bigint, project bigint NOT NULL, key text NOT NULL, version bigint NOT NULL,
  created_ms bigint NOT NULL, accessed_ms bigint NOT NULL, ttl_ns bigint NOT NULL, over_ms bigint,
  words bigint NOT NULL, marks bigint NOT NULL, value text NOT NULL, metadata text NOT NULL,
  cut bigint NOT NULL DEFAULT 0, PRIMARY KEY(tenant, slot));
CREATE UNIQUE INDEX items_key ON items(tenant, project, key);
CREATE INDEX items_accessed ON items(tenant, project, accessed_ms);
CREATE INDEX items_over ON items(tenant, over_ms) WHERE over_ms IS NOT NULL;
CREATE TABLE item_counts(
  tenant bigint, project bigint, rows bigint NOT NULL DEFAULT 0, words bigint NOT NULL DEFAULT 0,
  next bigint NOT NULL DEFAULT 1, PRIMARY KEY(tenant, project));
CREATE TABLE item_vectors(LIKE vectors INCLUDING ALL);
CREATE TABLE shared_items(
  tenant bigint, slot bigint, owner text NOT NULL, key text NOT NULL, version bigint NOT NULL,
  over_ms bigint, bytes bigint NOT NULL, value text NOT NULL,
  PRIMARY KEY(tenant, slot), UNIQUE(tenant, owner, key));
CREATE INDEX shared_items_over ON shared_items(tenant, over_ms) WHERE over_ms IS NOT NULL;
CREATE TABLE shared_owners(
  tenant bigint, owner text, rows bigint NOT NULL, bytes bigint NOT NULL,
  PRIMARY KEY(tenant, owner));
CREATE TABLE traces(
  tenant bigint, slot bigint, uuid text NOT NULL, scope text NOT NULL, scope_id text NOT NULL,
  strength double precision NOT NULL, accessed_ms bigint NOT NULL, retrievals bigint NOT NULL,
  remind_ms bigint, reason text NOT NULL, merged_into text, extras text NOT NULL,
  text text NOT NULL DEFAULT '', PRIMARY KEY(tenant, slot), UNIQUE(tenant, uuid));
CREATE INDEX traces_merged ON traces(tenant, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX traces_due ON traces(tenant, scope, scope_id, remind_ms) WHERE remind_ms IS NOT NULL;
CREATE INDEX traces_owner ON traces(tenant, scope, scope_id, slot);
CREATE INDEX traces_text ON traces(tenant, text, scope, scope_id);
CREATE TABLE trace_edges(
  tenant bigint, from_slot bigint, to_slot bigint, kind text NOT NULL,
  weight double precision NOT NULL, PRIMARY KEY(tenant, from_slot, to_slot));
CREATE INDEX trace_edges_to ON trace_edges(tenant, to_slot);
CREATE TABLE trace_pairs(
  tenant bigint, low bigint, high bigint, times bigint NOT NULL, PRIMARY KEY(tenant, low, high));
CREATE INDEX trace_pairs_high ON trace_pairs(tenant, high);
CREATE TABLE trace_sources(
  tenant bigint, merged bigint, source bigint, PRIMARY KEY(tenant, merged, source));
CREATE INDEX trace_sources_of ON trace_sources(tenant, source);
CREATE TABLE trace_originals(
  tenant bigint, slot bigint, archived_ms bigint NOT NULL, revision bigint NOT NULL,
  digest text NOT NULL, bytes bigint NOT NULL, deflated bytea NOT NULL,
  PRIMARY KEY(tenant, slot));
CREATE TABLE archive_access_log(
  tenant bigint, number bigint, slot bigint NOT NULL, accessed_ms bigint NOT NULL,
  PRIMARY KEY(tenant, number));
CREATE INDEX archive_access_slot ON archive_access_log(tenant, slot, accessed_ms);
CREATE TABLE consolidation_log(
  tenant bigint, number bigint, run text NOT NULL, context text NOT NULL,
  started_ms bigint NOT NULL, duration_ms bigint NOT NULL, counts text NOT NULL, undone_ms bigint,
  derive text NOT NULL DEFAULT '', request text NOT NULL DEFAULT '',
  PRIMARY KEY(tenant, number), UNIQUE(tenant, run));
CREATE INDEX consolidation_log_pending ON consolidation_log(tenant, number)
  WHERE derive = 'pending';
CREATE TABLE consolidation_actions(
  tenant bigint, number bigint, run bigint NOT NULL, step text NOT NULL, slot bigint NOT NULL,
  other bigint NOT NULL, before double precision, after double precision,
  PRIMARY KEY(tenant, number));
CREATE INDEX consolidation_actions_run ON consolidation_actions(tenant, run, number);
CREATE TABLE ingest_turns(
  tenant bigint, number bigint, uuid text NOT NULL, digest text NOT NULL, owner text NOT NULL,
  context text NOT NULL, body text NOT NULL, state text NOT NULL, tries bigint NOT NULL DEFAULT 0,
  reason text NOT NULL DEFAULT '', facts text NOT NULL DEFAULT '[]', received_ms bigint NOT NULL,
  PRIMARY KEY(tenant, number), UNIQUE(tenant, uuid));
CREATE INDEX ingest_turns_of_owners ON ingest_turns(tenant, owner, tries, number)
  WHERE state = 'pending';
CREATE INDEX ingest_turns_done ON ingest_turns(tenant, received_ms) WHERE state = 'done';
CREATE INDEX ingest_turns_failed ON ingest_turns(tenant, number) WHERE state = 'failed';
CREATE TABLE turn_tokens(
  tenant bigint, owner text, since_note bigint NOT NULL, since_reflect bigint NOT NULL,
  PRIMARY KEY(tenant, owner));
)sql";

// The counts that SQLite's triggers keep, and the rows that go with another. A tenant's writers are
// serial, so counts need no further lock.
inline constexpr const char* kPostgresRowTriggers = R"sql(
CREATE FUNCTION observations_changed() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE
  row_slot CONSTANT bigint := CASE tg_op WHEN 'DELETE' THEN old.slot ELSE new.slot END;
  was CONSTANT bigint := CASE WHEN tg_op <> 'INSERT' AND old.deleted_ms IS NULL THEN 1 ELSE 0 END;
  live CONSTANT bigint := CASE WHEN tg_op <> 'DELETE' AND new.deleted_ms IS NULL THEN 1 ELSE 0 END;
  more CONSTANT bigint := live * coalesce(new.words, 0) - was * coalesce(old.words, 0);
BEGIN
  PERFORM agent_memory_rows.note_change(row_slot);
  IF live <> was OR more <> 0 THEN
    UPDATE agent_memory.ranges SET live_rows = live_rows + live - was, live_words = live_words + more
      WHERE number = row_slot >> 32;
  END IF;
  IF live <> was THEN
    UPDATE agent_memory.counters SET value = value + live - was WHERE name = 'live_rows';
    IF row_slot >> 32 = 0 THEN
      UPDATE agent_memory.ranges SET shared_rows = shared_rows + live - was
        WHERE number = CASE tg_op WHEN 'DELETE' THEN old.project ELSE new.project END;
    END IF;
  END IF;
  IF tg_op = 'UPDATE' THEN
    IF live > was THEN DELETE FROM agent_memory.retired WHERE slot = row_slot; END IF;
    IF new.title <> old.title OR new.content <> old.content THEN
      DELETE FROM agent_memory.vectors WHERE slot = row_slot;
      DELETE FROM agent_memory.remote_vectors WHERE slot = row_slot;
    END IF;
    IF new.hash <> old.hash THEN
      UPDATE agent_memory.traces SET text = substr(new.hash, 1, 16) WHERE slot = row_slot;
    END IF;
  ELSIF tg_op = 'DELETE' THEN
    DELETE FROM agent_memory.uses WHERE slot = row_slot;
    DELETE FROM agent_memory.retired WHERE slot = row_slot;
    DELETE FROM agent_memory.vectors WHERE slot = row_slot;
    DELETE FROM agent_memory.remote_vectors WHERE slot = row_slot;
    DELETE FROM agent_memory.episodes WHERE slot = row_slot;
    DELETE FROM agent_memory.traces WHERE slot = row_slot;
    DELETE FROM agent_memory.trace_edges WHERE from_slot = row_slot;
    DELETE FROM agent_memory.trace_edges WHERE to_slot = row_slot;
    DELETE FROM agent_memory.trace_pairs WHERE low = row_slot;
    DELETE FROM agent_memory.trace_pairs WHERE high = row_slot;
    DELETE FROM agent_memory.trace_sources WHERE merged = row_slot;
    DELETE FROM agent_memory.trace_sources WHERE source = row_slot;
    DELETE FROM agent_memory.trace_originals WHERE slot = row_slot;
    DELETE FROM agent_memory.archive_access_log WHERE slot = row_slot;
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE ON observations
  FOR EACH ROW WHEN (NOT agent_memory_rows.copying()) EXECUTE FUNCTION observations_changed();

CREATE FUNCTION vectors_changed() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM agent_memory_rows.note_change(CASE tg_op WHEN 'DELETE' THEN old.slot ELSE new.slot END);
  RETURN NULL;
END $f$;
CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE ON vectors
  FOR EACH ROW WHEN (NOT agent_memory_rows.copying()) EXECUTE FUNCTION vectors_changed();

CREATE FUNCTION sessions_changed() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  UPDATE agent_memory.ranges SET sessions = sessions + CASE tg_op WHEN 'INSERT' THEN 1 ELSE -1 END
    WHERE number = CASE tg_op WHEN 'DELETE' THEN old.project ELSE new.project END;
  RETURN NULL;
END $f$;
CREATE TRIGGER changed AFTER INSERT OR DELETE ON sessions
  FOR EACH ROW WHEN (NOT agent_memory_rows.copying()) EXECUTE FUNCTION sessions_changed();

CREATE FUNCTION items_changed() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF tg_op = 'INSERT' THEN
    UPDATE agent_memory.item_counts SET rows = rows + 1, words = words + new.words
      WHERE project = new.project;
    UPDATE agent_memory.counters SET value = value + 1 WHERE name = 'live_rows';
  ELSE
    UPDATE agent_memory.item_counts SET rows = rows - 1, words = words - old.words
      WHERE project = old.project;
    UPDATE agent_memory.counters SET value = value - 1 WHERE name = 'live_rows';
    DELETE FROM agent_memory.item_vectors WHERE slot = old.slot;
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER changed AFTER INSERT OR DELETE ON items
  FOR EACH ROW WHEN (NOT agent_memory_rows.copying()) EXECUTE FUNCTION items_changed();

SELECT agent_memory_rows.sum_up('shared_items', 'shared_owners', 'rows');
CREATE FUNCTION shared_items_counted() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  UPDATE agent_memory.counters SET value = value + CASE tg_op WHEN 'INSERT' THEN 1 ELSE -1 END
    WHERE name = 'live_rows';
  RETURN NULL;
END $f$;
CREATE TRIGGER counted AFTER INSERT OR DELETE ON shared_items
  FOR EACH ROW WHEN (NOT agent_memory_rows.copying()) EXECUTE FUNCTION shared_items_counted();
)sql";

}  // namespace memory
