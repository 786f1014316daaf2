"""Memory servers over one PostgreSQL, for the tests of its failures: the database and its role, the file with its address, and
what its tables hold."""
import collections
import os

import integrity
import postgres
import programs
import wire

ROLE, DATABASE = "agent", "memory"
TABLES = "agent_memory_rows"


def prepare(cluster):
    """Makes the database, and its owner, who is no superuser: row-level security binds this role."""
    cluster.sql(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{cluster.password}'" if cluster.password else f"CREATE ROLE {ROLE} LOGIN")
    cluster.sql(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
    return cluster


def address(*clusters, password=None):
    """→ the DSN of the servers, of which the one that takes writes is meant."""
    secret = f" password={password}" if password else ""
    several = " target_session_attrs=read-write" if len(clusters) > 1 else ""
    return f"host={','.join(one.directory for one in clusters)} dbname={DATABASE} user={ROLE}{secret}{several}\n"


def write(file, text):
    """In one step, as a mounted Secret changes."""
    with open(file + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(file + ".new", 0o600)
    os.rename(file + ".new", file)
    return file


def server(folder, name, dsn_file, *more, patient=False):
    """A replica, which is not started. Without patience: the tests of failures are about limits."""
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    return programs.Program("agent-memory-server", ["--data-dir", os.path.join(place, "memory"), "--store", "postgres", "--dsn-file", dsn_file, *more],
                            os.path.join(place, "server.log"), patient=patient)


def items(cluster):
    """→ the numbers of the items 'item-N-' in all observations, duplicates included."""
    found = []
    for text in cluster.sql(f"SELECT content FROM {TABLES}.observations", DATABASE).split("\n"):
        found += [int(number) for number in integrity.ITEM.findall(text)[:1]]
    return found


def revisions(cluster):
    """→ {topic key: [revision_count of each row that has it]}."""
    found = collections.defaultdict(list)
    for line in cluster.sql(f"SELECT topic_key, revision_count FROM {TABLES}.observations WHERE topic_key <> ''", DATABASE).split("\n"):
        if line:
            key, count = line.rsplit("|", 1)
            found[key].append(int(count))
    return dict(found)


def readiness(program, timeout=15):
    """→ (status, the reason) of /readyz."""
    return wire.ask(program.admin, "GET", "/readyz", timeout=timeout)


def caught_up(primary):
    """Whether a synchronous standby has all that the primary has."""
    return primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') AND "
                       "flush_lsn >= pg_current_wal_flush_lsn()") not in ("", "0")


def is_there():
    """Whether this machine has PostgreSQL; else says why, as a test's last line."""
    try:
        postgres.binaries()
        postgres.user()
        return True
    except postgres.NoServer as why:
        print(f"skipped: {why}\n0 passed, 0 failed, 1 skipped")
        return False
