"""What namespaces cost each other, for engine.py: the fence of row-level security, and a neighbour that is busy or stuck."""
import contextlib
import http.server
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time

import engine_store
import memory
import tenants
import wire

SCHEMA = "agent_memory_rows"
ROUTES = {
    "GET /context": "GET\t/context?project=project-0&limit=5&query={words}",
    "GET /context, all projects": "GET\t/context?limit=5&query={words}",
    "GET /search": "GET\t/search?project=project-0&limit=10&q={words}",
    "GET /observations/recent": "GET\t/observations/recent?project=project-0&limit=20",
    "GET /observations/{id}": "GET\t/observations/{number}",
    "GET /observations/{id}/revisions": "GET\t/observations/{number}/revisions",
    "GET /timeline": "GET\t/timeline?observation_id={number}",
    "GET /sessions/recent": "GET\t/sessions/recent?project=project-0&limit=20",
    "GET /stats": "GET\t/stats",
    "POST /observations": None,
    "PATCH /observations/{id}": 'PATCH\t/observations/{number}\t{{"title": "{words}"}}',
}
NOISY, CALM = "noisy", "calm"
REQUESTS = 10_000
STUCK = 32  # clients of the neighbour that is stuck
# Each insert of the tenant takes two seconds.
SLOW = f"""CREATE FUNCTION {SCHEMA}.slow() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM pg_sleep(2); RETURN new; END $f$;
CREATE TRIGGER slow BEFORE INSERT ON {SCHEMA}.observations FOR EACH ROW
  WHEN (new.tenant = %s) EXECUTE FUNCTION {SCHEMA}.slow()"""


def fence(bench):
    stock, _ = bench.stock(bench.options.rows, max(1, bench.options.rows // memory.ROWS_OF_PROJECT))
    fenced, open_to_all = bench.store.new(stock), bench.store.new(stock)
    for table in bench.store.cluster.sql(f"SELECT relname FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace AND relrowsecurity",
                                         open_to_all).splitlines():
        bench.store.cluster.sql(f"ALTER TABLE {SCHEMA}.{table} DISABLE ROW LEVEL SECURITY", open_to_all)
    bench.rows("fence-posts", 60_000, 20)
    with bench.store.running(fenced) as ours, bench.store.running(open_to_all) as other:
        for number, (route, line) in enumerate(ROUTES.items()):
            file = "fence-posts"
            if line:
                file = f"fence-{number}"
                with open(bench.file(file), "w", encoding="utf-8") as out:
                    for at in range(500):
                        words = "+".join(bench.language.pick(8)) + (f" {at}" if route.startswith("PATCH") else "")
                        out.write(line.format(words=words, number=1 + at * 7 % min(bench.options.rows, 3500)) + "\n")
            for server in (ours, other):
                bench.load(server, 1, .5, file)
            ratios = []
            for turn in range(2 * bench.options.rounds):
                pair = (ours, other) if turn % 2 else (other, ours)
                took = {server: bench.load(server, 1, bench.options.seconds / 2, file)["p50_us"] for server in pair}
                ratios.append((took[ours] / took[other], took[ours], took[other]))
            ratio = statistics.median(of[0] for of in ratios)
            bench.say(f"{route}: p50", f"{statistics.median(of[1] for of in ratios):.0f} µs",
                      f"without the fence {statistics.median(of[2] for of in ratios):.0f}")
            bench.judge(f"{route}: with the fence / without", ratio, 1.15)
    for database in (fenced, open_to_all):
        bench.store.drop(database)


class Neighbours:
    """Two namespaces of one server."""

    def __init__(self, bench, server):
        self.bench, self.server = bench, server
        self.port = server.api.rsplit(":", 1)[1]

    def command(self, who, clients, seconds, file):
        header = "Authorization: Bearer " + tenants.token(who)
        return [self.bench.file("http_load"), "run", self.port, str(clients), str(seconds), self.bench.file(file), "0", header]

    def load(self, who, clients, seconds, file):
        return json.loads(subprocess.run(self.command(who, clients, seconds, file), check=True, capture_output=True, text=True).stdout)

    def calm(self):
        """→ p99 of reads and of writes, of one client each, one after the other."""
        found = []
        for file in ("calm-reads", "calm-writes"):
            said = self.load(CALM, 1, self.bench.options.seconds, file)
            if said["other"] or said["broken"] or said["refused"]:
                raise SystemExit(f"the calm namespace was not served: {said}")
            found.append(said["p99_us"])
        return found

    @contextlib.contextmanager
    def busy(self, clients, file):
        """While the other sends the requests of `file` again and again."""
        running = subprocess.Popen(self.command(NOISY, clients, 600, file), stdout=subprocess.DEVNULL)
        try:
            time.sleep(.5)
            yield
        finally:
            running.kill()
            running.wait()


@contextlib.contextmanager
def locked(bench, database):
    """While somebody holds the lock of the noisy namespace's writes."""
    text = f"BEGIN; SELECT 1 FROM {SCHEMA}.tenants WHERE name = '{NOISY}' FOR UPDATE; SELECT pg_sleep(600)"
    holder = subprocess.Popen(["psql", "-h", bench.store.cluster.directory, "-U", "postgres", "-d", database, "-q", "-c", text],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        bench.store.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND "
                                "pid <> pg_backend_pid()")
        holder.wait()


@contextlib.contextmanager
def slow(bench, database):
    number = bench.store.cluster.sql(f"SELECT number FROM {SCHEMA}.tenants WHERE name = '{NOISY}'", database)
    bench.store.cluster.sql(SLOW % number, database)
    try:
        yield
    finally:
        bench.store.cluster.sql(f"DROP TRIGGER slow ON {SCHEMA}.observations; DROP FUNCTION {SCHEMA}.slow()", database)


def isolation(bench):
    bench.rows("noisy-writes", 20_000, 20)
    bench.rows("calm-writes", 20_000, 20)
    bench.rows("calm-stock", 1000, 1)
    with open(bench.file("asks"), encoding="utf-8") as asks, open(bench.file("calm-reads"), "w", encoding="utf-8") as out:
        out.write(asks.read())
    with open(bench.file("noisy-writes"), encoding="utf-8") as writes, open(bench.file("asks"), encoding="utf-8") as asks, \
            open(bench.file("noisy"), "w", encoding="utf-8") as out:
        reads = asks.read().splitlines()
        for number, line in zip(range(REQUESTS), writes):
            out.write(line if number % 2 else reads[number % len(reads)] + "\n")
    reviews = http.server.ThreadingHTTPServer(("127.0.0.1", 0), tenants.Reviews)
    threading.Thread(target=reviews.serve_forever, daemon=True).start()
    folder = tempfile.mkdtemp(dir=bench.folder)
    more = ["--auth", "kubernetes", "--audience", tenants.AUDIENCE, "--kubeconfig", tenants.kubeconfig(folder, reviews.server_port),
            "--quota-burst", "100000000"]
    database = bench.store.new()
    with bench.store.running(database, *more) as server:
        of_engine(bench, server, database)
    with bench.files(os.path.join(folder, "files"), *more) as server:
        of_engine(bench, server, None)


def of_engine(bench, server, database):
    both = Neighbours(bench, server)
    for who in (NOISY, CALM):
        both.load(who, 8, 0, "calm-stock")
        for _ in range(2):
            both.load(who, 1, 1, "calm-reads")
    cases = {f"{REQUESTS:,} requests of 64 clients": lambda: both.busy(64, "noisy")}
    if database:
        @contextlib.contextmanager
        def stuck(how):
            with how(bench, database), both.busy(STUCK, "noisy-writes"):
                yield
        cases["a lock"] = lambda: stuck(locked)
        cases["slow statements"] = lambda: stuck(slow)
    found = {case: [] for case in cases}
    for _ in range(bench.options.rounds):
        alone = both.calm()
        for case, begin in cases.items():
            with begin():
                beside = both.calm()
            found[case].append([(b / a, b, a) for b, a in zip(beside, alone)])
            time.sleep(2.5)  # what waits ends
    engine = "PostgreSQL" if database else "SQLite"
    for case, rounds in found.items():
        for at, what in enumerate(("GET /context", "POST")):
            ratio, beside, alone = sorted(of[at] for of in rounds)[len(rounds) // 2]
            bench.say(f"{engine}: {what} p99 beside {case}", f"{beside / 1e3:.1f} ms", f"alone {alone / 1e3:.1f}")
            bench.judge(f"{engine}: {what} p99 beside {case} / alone", ratio, 1.5)
