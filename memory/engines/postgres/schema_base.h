// What every table of the schema (schema.h) rests on: the tenants, the fence between them, and the
// functions that SQLite has and PostgreSQL lacks. Released steps never change.
#pragma once

namespace memory {

// agent_memory_rows  the base tables: every key begins with the tenant
// agent_memory       what a program sees: a view of each, of the tenant of its transaction
//
// max      takes no NULL here; SQLite's would return NULL
// changes  the version at which a row or its vector changed last, also of a removed row; the
//          version of the tenant is raised once in a transaction, whose lock on the tenant's row
//          makes its order that of the commits. Entries up to `cleared` are gone
// numbers  the last number of tables that use none twice
// moving   a move to a file holds the tenant, as long as it has the advisory lock (moves(), number)
// moved    the sum of the rows that a file brought (memory/sqlite/moving)
inline constexpr const char* kPostgresBase = R"sql(
CREATE FUNCTION agent_memory.current_tenant() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  AS $f$ SELECT current_setting('agent_memory.tenant')::bigint $f$;
CREATE FUNCTION agent_memory.max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  PARALLEL SAFE AS $f$ SELECT greatest($1, $2) $f$;
CREATE FUNCTION agent_memory.max(bigint, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  PARALLEL SAFE AS $f$ SELECT greatest($1, $2, $3) $f$;
-- Numbers are sent as bigint.
CREATE FUNCTION agent_memory.substr(text, bigint, bigint) RETURNS text LANGUAGE sql IMMUTABLE
  PARALLEL SAFE
  AS $f$ SELECT substr($1, $2::integer, least($3, 2147483647)::integer) $f$;
CREATE FUNCTION agent_memory.instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE
  PARALLEL SAFE AS $f$ SELECT strpos($1, $2) $f$;
CREATE FUNCTION agent_memory.json_each(document text) RETURNS TABLE(value text) LANGUAGE sql
  IMMUTABLE PARALLEL SAFE AS $f$ SELECT json_array_elements_text(document::json) $f$;
-- Of a path like $[2].
CREATE FUNCTION agent_memory.json_extract(document text, path text) RETURNS text LANGUAGE sql
  IMMUTABLE PARALLEL SAFE
  AS $f$ SELECT document::json ->> substr(path, 3, length(path) - 3)::integer $f$;

CREATE TABLE agent_memory_rows.tenants(
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  version bigint NOT NULL DEFAULT 0,
  cleared bigint NOT NULL DEFAULT 0,
  rules_version bigint NOT NULL DEFAULT 0,
  ends boolean NOT NULL DEFAULT false,
  moving boolean NOT NULL DEFAULT false,
  moved text NOT NULL DEFAULT '',
  sweeper text NOT NULL DEFAULT '',
  sweep_number bigint NOT NULL DEFAULT 0,
  sweep_until timestamptz NOT NULL DEFAULT '-infinity');
CREATE VIEW agent_memory.tenants AS SELECT number, name, version, cleared, rules_version
  FROM agent_memory_rows.tenants WHERE number = agent_memory.current_tenant();
CREATE FUNCTION agent_memory_rows.moves() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $f$ SELECT 1634562413 $f$;
-- Of a transaction that copies rows as they are.
CREATE FUNCTION agent_memory_rows.copying() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  AS $f$ SELECT coalesce(current_setting('agent_memory.copying', true), '') = 'true' $f$;
CREATE TABLE agent_memory_rows.probes(holder text PRIMARY KEY, number bigint NOT NULL);

-- Gives a table the order of bytes, its tenant, the fence and the view. Again after a step that
-- adds a column.
CREATE FUNCTION agent_memory_rows.fence(name text) RETURNS void LANGUAGE plpgsql AS $f$
DECLARE
  base CONSTANT text := format('agent_memory_rows.%I', name);
  columns text;
  one text;
BEGIN
  EXECUTE format('DROP VIEW IF EXISTS agent_memory.%I', name);
  FOR one IN SELECT attname FROM pg_attribute WHERE attrelid = base::regclass AND attnum > 0 AND
      NOT attisdropped AND atttypid = 'text'::regtype AND attcollation <> '"C"'::regcollation LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE text COLLATE "C"', base, one);
  END LOOP;
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attname = 'tenant', attnum) INTO columns
    FROM pg_attribute WHERE attrelid = base::regclass AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('ALTER TABLE %1$s ALTER COLUMN tenant SET DEFAULT agent_memory.current_tenant();
    ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY;
    ALTER TABLE %1$s FORCE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS own ON %1$s;
    CREATE POLICY own ON %1$s USING (tenant = current_setting(''agent_memory.tenant'')::bigint);
    CREATE VIEW agent_memory.%2$I AS SELECT %3$s FROM %1$s
      WHERE tenant = agent_memory.current_tenant()', base, name, columns);
END $f$;

CREATE TABLE agent_memory_rows.numbers(
  tenant bigint, name text, last bigint NOT NULL, PRIMARY KEY(tenant, name));
-- Numbers the rows of a table like an INTEGER PRIMARY KEY of SQLite; `once`: no number twice, as
-- AUTOINCREMENT does.
CREATE FUNCTION agent_memory_rows.number(name text, key text, once boolean) RETURNS void
  LANGUAGE plpgsql AS $f$
BEGIN
  EXECUTE format('CREATE FUNCTION agent_memory_rows.number_%1$s() RETURNS trigger LANGUAGE plpgsql
    AS $t$ BEGIN ' || CASE WHEN once THEN '
      INSERT INTO agent_memory.numbers(name, last) VALUES(%1$L, coalesce(new.%2$I, 1))
        ON CONFLICT(tenant, name) DO UPDATE SET last = CASE WHEN new.%2$I IS NULL
          THEN numbers.last + 1 ELSE greatest(numbers.last, new.%2$I) END
        RETURNING coalesce(new.%2$I, last) INTO new.%2$I;' ELSE '
      IF new.%2$I IS NULL THEN
        SELECT coalesce(max(%2$I), 0) + 1 INTO new.%2$I FROM agent_memory.%1$I;
      END IF;' END || '
      RETURN new;
    END $t$;
    CREATE TRIGGER numbered BEFORE INSERT ON agent_memory_rows.%1$I
      FOR EACH ROW WHEN (NOT agent_memory_rows.copying())
      EXECUTE FUNCTION agent_memory_rows.number_%1$s()', name, key);
END $f$;

-- Keeps the rows (`counted`) and bytes of each owner of a table.
CREATE FUNCTION agent_memory_rows.sum_up(name text, totals text, counted text) RETURNS void
  LANGUAGE plpgsql AS $f$
BEGIN
  EXECUTE format('CREATE FUNCTION agent_memory_rows.sum_%1$s() RETURNS trigger LANGUAGE plpgsql
    AS $t$ BEGIN
      IF tg_op = ''INSERT'' THEN
        INSERT INTO agent_memory.%2$I VALUES(new.owner, 1, new.bytes)
          ON CONFLICT(tenant, owner) DO UPDATE
          SET %3$I = %2$I.%3$I + 1, bytes = %2$I.bytes + excluded.bytes;
      ELSIF tg_op = ''UPDATE'' THEN
        UPDATE agent_memory.%2$I SET bytes = bytes + new.bytes - old.bytes WHERE owner = new.owner;
      ELSE
        UPDATE agent_memory.%2$I SET %3$I = %3$I - 1, bytes = bytes - old.bytes
          WHERE owner = old.owner;
        DELETE FROM agent_memory.%2$I WHERE owner = old.owner AND %3$I = 0;
      END IF;
      RETURN NULL;
    END $t$;
    CREATE TRIGGER summed AFTER INSERT OR UPDATE OF bytes OR DELETE ON agent_memory_rows.%1$I
      FOR EACH ROW WHEN (NOT agent_memory_rows.copying())
      EXECUTE FUNCTION agent_memory_rows.sum_%1$s()', name, totals, counted);
END $f$;

CREATE TABLE agent_memory_rows.changes(
  tenant bigint, slot bigint, range bigint NOT NULL, version bigint NOT NULL,
  PRIMARY KEY(tenant, slot));
CREATE INDEX changes_since ON agent_memory_rows.changes(tenant, version);
CREATE FUNCTION agent_memory_rows.note_change(changed bigint) RETURNS void LANGUAGE plpgsql AS $f$
DECLARE
  raised text := current_setting('agent_memory.version', true);
BEGIN
  IF coalesce(raised, '') = '' THEN
    UPDATE agent_memory_rows.tenants t SET version = t.version + 1
      WHERE t.number = agent_memory.current_tenant() RETURNING t.version INTO STRICT raised;
    PERFORM set_config('agent_memory.version', raised, true);
  END IF;
  INSERT INTO agent_memory.changes(slot, range, version)
    VALUES(changed, changed >> 32, raised::bigint)
    ON CONFLICT(tenant, slot) DO UPDATE SET version = excluded.version
    WHERE changes.version <> excluded.version;
END $f$;
)sql";

// kept_since    RetentionPolicy::KeptSince; without a limit a time that leaves room for sums
// enter         begins a transaction of a tenant: its number, the clock, the server's rules as in
//               `retention`; `writes` locks the tenant. → the version of its rows
// tenant_of     the number of a tenant, which is made if it is not there
inline constexpr const char* kPostgresFunctions = R"sql(
CREATE FUNCTION agent_memory.milliseconds(ttl text) RETURNS bigint LANGUAGE sql IMMUTABLE
  PARALLEL SAFE AS $f$ SELECT rtrim(ttl, 'hms')::bigint * CASE ltrim(ttl, '0123456789')
    WHEN 'h' THEN 3600000 WHEN 'm' THEN 60000 WHEN 's' THEN 1000 ELSE 1 END $f$;
CREATE FUNCTION agent_memory.kept_by_rule(of bigint, of_scope text, of_type text) RETURNS bigint
  LANGUAGE plpgsql STABLE AS $f$
DECLARE
  ttl bigint;
BEGIN
  SELECT agent_memory.milliseconds(rule ->> 'ttl') INTO ttl FROM jsonb_array_elements(coalesce(
      (SELECT rules FROM agent_memory.retention WHERE project = of),
      nullif(current_setting('agent_memory.defaults', true), ''), '[]')::jsonb) rule
    WHERE rule ->> 'scope' = of_scope AND rule ->> 'type' IN (of_type, '*')
    ORDER BY rule ->> 'type' = of_type DESC LIMIT 1;
  IF ttl > 0 THEN RETURN current_setting('agent_memory.now_ms')::bigint - ttl; END IF;
  RETURN -4611686018427387904;
END $f$;
CREATE FUNCTION agent_memory.kept_since(project bigint, scope text, type text) RETURNS bigint
  LANGUAGE sql STABLE AS $f$ SELECT
    CASE WHEN current_setting('agent_memory.ends', true) = 'false' THEN -4611686018427387904
      ELSE agent_memory.kept_by_rule(project, scope, type) END $f$;

CREATE FUNCTION agent_memory_rows.any_end(rules text) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $f$ SELECT rules ~ '"ttl": *"[1-9]' $f$;
CREATE FUNCTION agent_memory_rows.rules_changed() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  UPDATE agent_memory_rows.tenants SET rules_version = rules_version + 1, ends = EXISTS(SELECT 1 FROM agent_memory.retention
      WHERE agent_memory_rows.any_end(rules))
    WHERE number = agent_memory.current_tenant();
  RETURN NULL;
END $f$;
CREATE TRIGGER rules_changed AFTER INSERT OR UPDATE OR DELETE ON agent_memory_rows.retention
  FOR EACH STATEMENT EXECUTE FUNCTION agent_memory_rows.rules_changed();

-- A transaction is on the disk when it is acknowledged, whatever the server's default; with
-- agent_memory.require_sync also on that of a standby.
CREATE FUNCTION agent_memory.wait_for_standby() RETURNS void LANGUAGE plpgsql AS $f$
DECLARE
  required CONSTANT boolean := current_setting('agent_memory.require_sync', true) = 'true';
BEGIN
  IF required AND current_setting('synchronous_standby_names') = '' THEN
    RAISE EXCEPTION 'require-sync: synchronous_standby_names is empty, so that no standby confirms '
      'a commit: set it, or start the server with --require-sync=false'
      USING ERRCODE = 'cannot_connect_now';
  END IF;
  -- Else each tenant would leave a session behind that waits, and holds its lock.
  IF required AND NOT EXISTS(SELECT FROM pg_stat_get_wal_senders()) THEN
    RAISE EXCEPTION 'require-sync: no standby is connected, so that none confirms a commit'
      USING ERRCODE = 'cannot_connect_now';
  END IF;
  IF current_setting('synchronous_commit') = 'off' OR
      required AND current_setting('synchronous_commit') = 'local' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $f$;

-- A write that shows that others would succeed now.
CREATE FUNCTION agent_memory.probe(of text) RETURNS void LANGUAGE sql AS $f$
  SELECT agent_memory.wait_for_standby();
  INSERT INTO agent_memory_rows.probes(holder, number) VALUES(of, 1)
    ON CONFLICT(holder) DO UPDATE SET number = probes.number + 1;
$f$;

-- Whether `of` sweeps the tenant until `milliseconds` from now: one replica at a time.
CREATE FUNCTION agent_memory.claim_sweep(of text, milliseconds bigint) RETURNS boolean
  LANGUAGE plpgsql AS $f$
BEGIN
  UPDATE agent_memory_rows.tenants SET sweeper = of,
      sweep_number = sweep_number + (sweeper <> of)::integer,
      sweep_until = now() + milliseconds * interval '1 millisecond'
    WHERE number = agent_memory.current_tenant() AND (sweeper = of OR sweep_until < now());
  RETURN FOUND;
END $f$;

-- Removes some entries of changes that lie `behind` versions back. Indexes that are older are made
-- anew.
CREATE FUNCTION agent_memory.clear_changes(behind bigint, most bigint) RETURNS bigint
  LANGUAGE plpgsql AS $f$
DECLARE
  last bigint;
BEGIN
  SELECT max(version) INTO last FROM (SELECT version FROM agent_memory.changes
    WHERE version <= (SELECT version FROM agent_memory.tenants) - behind
    ORDER BY version LIMIT most) old;
  IF last IS NULL THEN RETURN 0; END IF;
  UPDATE agent_memory_rows.tenants SET cleared = last
    WHERE number = agent_memory.current_tenant();
  DELETE FROM agent_memory.changes WHERE version <= last;
  RETURN last;
END $f$;

CREATE FUNCTION agent_memory.enter(tenant bigint, now_ms bigint, defaults text, writes boolean)
  RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  own agent_memory_rows.tenants;
BEGIN
  IF writes THEN
    PERFORM agent_memory.wait_for_standby();
    SELECT * INTO STRICT own FROM agent_memory_rows.tenants WHERE number = tenant
      FOR NO KEY UPDATE;
    IF own.moving THEN
      IF NOT pg_try_advisory_xact_lock_shared(agent_memory_rows.moves(), tenant::integer) THEN
        RAISE EXCEPTION 'the memories of this namespace are being moved to a file: try again later'
          USING ERRCODE = 'cannot_connect_now';
      END IF;
      UPDATE agent_memory_rows.tenants SET moving = false WHERE number = tenant;  -- given up
    END IF;
  ELSE
    SELECT * INTO STRICT own FROM agent_memory_rows.tenants WHERE number = tenant;
  END IF;
  PERFORM set_config('agent_memory.tenant', tenant::text, true),
    set_config('agent_memory.now_ms', now_ms::text, true),
    set_config('agent_memory.defaults', defaults, true),
    set_config('agent_memory.ends', (own.ends OR agent_memory_rows.any_end(defaults))::text, true);
  RETURN own.version;
END $f$;

CREATE FUNCTION agent_memory.tenant_of(wanted text) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  made bigint;
BEGIN
  SELECT number INTO made FROM agent_memory_rows.tenants WHERE name = wanted;
  IF FOUND THEN RETURN made; END IF;
  INSERT INTO agent_memory_rows.tenants(name) VALUES(wanted) ON CONFLICT(name) DO NOTHING
    RETURNING number INTO made;
  IF made IS NULL THEN
    SELECT number INTO STRICT made FROM agent_memory_rows.tenants WHERE name = wanted;
    RETURN made;
  END IF;
  PERFORM set_config('agent_memory.tenant', made::text, true);
  INSERT INTO agent_memory.counters(name, value) VALUES('next_id', 1), ('probe', 0),
    ('live_rows', 0), ('item_version', 0), ('shared_version', 0);
  INSERT INTO agent_memory.ranges(number) VALUES(0);
  INSERT INTO agent_memory.salt(value) VALUES(replace(gen_random_uuid()::text, '-', ''));
  RETURN made;
END $f$;
)sql";

}  // namespace memory
