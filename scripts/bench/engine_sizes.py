"""Bytes of the store and resident memory of the server, for engine.py."""
import os

import memory
import programs
import wire

SCHEMA = "agent_memory_rows"
# Columns and the keys of indexes, as expressions, of each table: what a row is made of.
PARTS = f"""SELECT c.relname, string_agg(part, '+') FROM pg_class c JOIN LATERAL (
    SELECT format('coalesce(pg_column_size(%I), 0)', attname) AS part FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT format('CASE WHEN %s THEN coalesce(pg_column_size(%s), 0) ELSE 0 END',
        coalesce(pg_get_expr(indpred, indrelid), 'true'), pg_get_indexdef(indexrelid, key, true))
      FROM pg_index, generate_series(1, indnkeyatts) key WHERE indrelid = c.oid) parts ON true
  WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind = 'r' GROUP BY 1"""
STORED = f"""SELECT sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid)) FROM pg_class c
  WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind = 'r'"""


def measure(bench):
    database, folder = bench.stock(bench.options.rows, max(1, bench.options.rows // memory.ROWS_OF_PROJECT))
    of_store(bench, database, folder)
    of_memory(bench, database, folder)


def of_store(bench, database, folder):
    def sql(text):
        return bench.store.cluster.sql(text, database)
    pure, largest = 0, []
    for line in sql(PARTS).splitlines():
        table, parts = line.split("|", 1)
        own = int(sql(f"SELECT coalesce(sum({parts}), 0) FROM {SCHEMA}.{table}"))
        pure += own
        largest.append((int(sql(f"SELECT pg_total_relation_size('{SCHEMA}.{table}')")), table, own))
    tables, indexes = map(int, sql(STORED).split("|"))
    files = sum(os.path.getsize(os.path.join(base, name)) for base, _, names in os.walk(os.path.join(folder, "memory"))
                for name in names if len(name) == 64)
    bench.say("bytes of the store, a row", f"{(tables + indexes) / bench.options.rows:.0f}",
              f"indexes {indexes / bench.options.rows:.0f}; columns and keys alone {pure / bench.options.rows:.0f}; "
              f"SQLite's file {files / bench.options.rows:.0f}")
    for size, table, own in sorted(largest, reverse=True)[:6]:
        bench.say(f"  {table}", f"{size / bench.options.rows:.0f}", f"columns and keys {own / bench.options.rows:.0f}")
    bench.judge("store / bytes of its rows and keys", (tables + indexes) / pure, 1.8)


def of_memory(bench, database, folder):
    with bench.store.running(database) as server, bench.files(folder) as other:
        idle, of_files = (programs.resident(one.pid)[0] / 1024 for one in (server, other))
    bench.say("resident memory, idle, MiB", f"{idle:.1f}", f"SQLite {of_files:.1f}")
    bench.judge("resident memory, idle, MiB", idle, 32)
    with bench.store.running(database, "--index-memory", "1Gi") as server, bench.files(folder, "--index-memory", "1Gi") as other:
        ours, of_files = (1024 * grown(server, bench.options.rows) / bench.options.rows for server in (server, other))
    bench.say("resident memory of a resident row, bytes", f"{ours:.0f}", f"SQLite {of_files:.0f}")
    bench.judge("resident memory of a resident row, bytes", ours, 1024)


def grown(server, rows):
    """→ KiB that the resident indexes of all projects take."""
    def ask(project):
        status, said = wire.ask(server.api, "GET", f"/context?project={project}&limit=5&query=one+word")
        if status != 200:
            raise SystemExit(f"GET /context: {status} {said}")
    for _ in range(40):
        ask("none")
    before = programs.resident(server.pid)[0]
    for _ in range(3):
        for number in range(max(1, rows // memory.ROWS_OF_PROJECT)):
            ask(f"project-{number}")
    return programs.resident(server.pid)[0] - before
