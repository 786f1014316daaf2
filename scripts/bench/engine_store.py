"""PostgreSQL with memory servers on its databases, for engine.py: copies of a filled database, servers that are recorded, and
the bare loop over libpq."""
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "e2e/support"), HERE]

import postgres  # noqa: E402
import postgres_memory  # noqa: E402
import programs  # noqa: E402

# A server for 1,000,000 rows on a laptop; like Debian's otherwise.
SETTINGS = {"shared_buffers": "256MB", "max_wal_size": "2GB", "max_connections": "100"}
SOCKET = ".s.PGSQL.5432"
SESSION = " options='-c search_path=agent_memory -c agent_memory.require_sync=false'"  # as the server's


def build(folder):
    """Compiles engine_record.cc and engine_replay.cc, with libpq's own flags → their paths."""
    flags = shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", "libpq"], check=True, capture_output=True, text=True).stdout)
    targets = [os.path.join(folder, name) for name in ("engine_record", "engine_replay")]
    for target in targets:
        subprocess.run(["c++", "-O2", "-std=c++20", os.path.join(HERE, os.path.basename(target) + ".cc"), *flags, "-o", target], check=True)
    return targets


class Store:
    """A durable cluster, with databases that the role `agent` owns, whom row-level security binds."""

    def __init__(self, folder):
        self.folder, self.made = folder, 0
        self.record, self.replay = build(folder)
        self.cluster = postgres.Cluster(SETTINGS, durable=True)

    def __enter__(self):
        self.cluster.__enter__()
        self.cluster.sql(f"CREATE ROLE {postgres_memory.ROLE} LOGIN")
        return self

    def __exit__(self, *error):
        self.cluster.__exit__(*error)

    def new(self, like=None):
        """→ the name of a new database, empty or a copy of `like`, whose servers have ended."""
        self.made += 1
        while like and self.cluster.sql(f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{like}'") != "0":
            time.sleep(.02)
        name = f"memory{self.made}"
        self.cluster.sql(f"CREATE DATABASE {name} OWNER {postgres_memory.ROLE}" + (f" TEMPLATE {like}" if like else ""))
        return name

    def drop(self, database):
        self.cluster.sql(f"DROP DATABASE {database} WITH (FORCE)")

    def dsn(self, database, directory=None):
        return f"host={directory or self.cluster.directory} dbname={database} user={postgres_memory.ROLE}"

    def server(self, database, *more, directory=None):
        """A server on the database, which is not started."""
        place = tempfile.mkdtemp(dir=self.folder)
        file = postgres_memory.write(os.path.join(place, "dsn"), self.dsn(database, directory) + "\n")
        return programs.Program("agent-memory-server", ["--data-dir", os.path.join(place, "memory"), "--store", "postgres",
                                                        "--dsn-file", file, *more], os.path.join(place, "server.log"))

    @contextlib.contextmanager
    def running(self, database, *more, directory=None):
        server = self.server(database, *more, directory=directory).start()
        try:
            server.ready()
            yield server
        finally:
            server.kill()

    def checkpoint(self):
        """So that none begins within a short measurement."""
        self.cluster.sql("CHECKPOINT")

    @contextlib.contextmanager
    def recorded(self, database, file, *more):
        """A server whose statements are recorded → the server, and what begins the measured part."""
        directory = tempfile.mkdtemp(dir=self.folder)
        target = os.path.join(self.cluster.directory, SOCKET)
        recorder = subprocess.Popen([self.record, os.path.join(directory, SOCKET), target, file], stdout=subprocess.PIPE, text=True)
        try:
            recorder.stdout.readline()
            with self.running(database, *more, directory=directory) as server:
                yield server, lambda: recorder.send_signal(signal.SIGUSR1)
        finally:
            recorder.terminate()
            recorder.wait()

    def loop(self, mode, database, *more):
        """A mode of engine_replay → what it says."""
        done = subprocess.run([self.replay, mode, self.dsn(database) + SESSION, *map(str, more)], check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"engine_replay {mode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def show(self, file):
        return subprocess.run([self.replay, "show", file], check=True, capture_output=True, text=True).stdout
