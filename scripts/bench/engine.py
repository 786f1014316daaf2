#!/usr/bin/env python3
"""Measures the memory on SQLite and on PostgreSQL in one run, and prints each figure beside its bar and beside a floor of
the same run: a trivial HTTP answer, a round trip to the database, a sync, or the same statements sent by a bare loop over
libpq. Starts Debian's PostgreSQL, durable, in TMPDIR: it must be on the disk that is meant. Needs the release build, a C++
compiler and libpq's headers, and an idle machine for figures that count; does not test correctness.

    scripts/bench/engine.py [--only PART,PART…] [--rows 20000] [--posts 3000] [--seconds 3] [--rounds 3] [--large 1000000]
                            [--data DATA] [--show] [--bars]

Parts:
  recall     every answer to the questions of DATA (as in retrieval.py) is the same on both; needs --data
  context    GET /context beside HTTP, two round trips and the fetch of its rows; a cold project of 1,000 rows
  large      GET /context of a project of 1,000 rows in a store of 1,000 rows and of --large rows; needs --large
  writes     POST of 1 client, of 64, of 64 in one project, beside the same statements in the same batches
  replicas   POST of 64 clients at two servers on one database, beside one server
  sizes      bytes of the store, resident memory of the server
  fence      each route with and without row-level security
  isolation  one namespace while another sends 10,000 requests, waits for a lock, or runs slow statements

--show prints the statements of a usual recorded transaction. Exit 1 if a bar is missed, with --bars only."""
import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "e2e/support"), HERE]

import engine_neighbours  # noqa: E402
import engine_sizes  # noqa: E402
import engine_store  # noqa: E402
import memory  # noqa: E402
import programs  # noqa: E402
import retrieval  # noqa: E402
import wire  # noqa: E402
from stolen import Stolen  # noqa: E402

PARTS = ("recall", "context", "large", "writes", "replicas", "sizes", "fence", "isolation")
TABLE = os.path.join(programs.ROOT, "share/agent-memory-server/embedding.table")
CLIENTS, PROJECTS = memory.CLIENTS, 100
BATCHES = 300  # of the floor of fewest statements, in transactions
TIMES = ("created_at", "updated_at", "last_seen_at")  # of answers; they differ from run to run


class Engine(memory.Bench):
    def __init__(self, options, folder, store):
        super().__init__(options, folder)
        self.store, self.filled, self.http, self.trip = store, {}, None, None

    def floors(self):
        disk, self.http = super().floors()
        self.trip = self.store.loop("trips", "postgres", 1)
        self.say("floor: a round trip to PostgreSQL", f"{self.trip['p50_us']:.0f} µs", f"p99 {self.trip['p99_us']:.0f} µs")
        return disk, self.http

    # ---- Stores

    def stock(self, rows, projects):
        """→ (database, folder of SQLite) with the same rows, made once."""
        if (rows, projects) not in self.filled:
            database, folder = self.store.new(), self.file(f"sqlite-{rows}-{projects}")
            self.rows("stock", rows, projects)
            for engine, running in (("PostgreSQL", self.store.running(database)), ("SQLite", self.files(folder))):
                with running as server:
                    done = self.load(server, CLIENTS, 0, "stock")
                    self.all_good(done, rows)
                    self.say(f"filled {engine} with {rows:,} rows, a second", f"{done['per_s']:.0f}")
            self.store.cluster.sql("VACUUM ANALYZE", database)
            self.filled[rows, projects] = database, folder
        return self.filled[rows, projects]

    @contextlib.contextmanager
    def files(self, folder, *more):
        server = programs.server(folder)
        server.arguments += more
        server.start()
        try:
            server.ready()
            yield server
        finally:
            server.kill()

    def median(self, of):
        return statistics.median(of() for _ in range(self.options.rounds))

    # ---- Recall

    def recall(self):
        if not self.options.data:
            print("recall: skipped, it needs --data", flush=True)
            return
        records, questions = (retrieval.lines(self.options.data + end) for end in ("-records.jsonl", "-questions.jsonl"))
        for name, flags in (("words", ["--embeddings=false"]), ("words and meaning", ["--embedding-table", TABLE])):
            answers = [self.answers(engine, flags, records, questions) for engine in ("sqlite", "postgres")]
            for at, what in ((0, "order of the top ten"), (1, "whole answers"), (2, "R@5"), (3, "R@10")):
                one, other = (found[at] for found in answers)
                if at < 2:
                    differ = sum(a != b for a, b in zip(one, other))
                    self.judge(f"{name}: questions whose {what} differ, of {len(one)}", differ, 0)
                else:
                    self.say(f"{name}: {what}", f"{other:.4f}", f"SQLite {one:.4f}")
                    self.judge(f"{name}: {what}, difference", abs(one - other), 0)

    def answers(self, engine, flags, records, questions):
        """→ (lists of ids, answers, R@5, R@10); the second half of the answers is of resident indexes."""
        folder = tempfile.mkdtemp(dir=self.folder)
        if engine == "postgres":
            database, file = self.store.new(), os.path.join(folder, "dsn")
            with open(file, "w", encoding="utf-8") as out:
                out.write(self.store.dsn(database))
            flags = [*flags, "--store", "postgres", "--dsn-file", file]
        patient = ["--query-deadline", "30s", "--read-timeout", "60s"]
        server = retrieval.Server(programs.binary("agent-memory-server"), os.path.join(folder, "memory"), *flags, *patient)
        evidence = retrieval.save(server, records, lambda row: [row["id"]])
        server.await_vectors()
        orders, found, shares = [], [], {5: [], 10: []}
        for question in questions * 2:
            path = f"/context?project={question['project']}&limit=10&query={wire.quote(question['question'])}"
            rows = server.call("GET", path)["recent_observations"]
            orders.append([row["id"] for row in rows])
            found.append([{key: value for key, value in row.items() if key not in TIMES} for row in rows])
            wanted = set(question["evidence"])
            for k, of in shares.items():
                got = set().union(*(evidence.get((question["project"], row["id"]), set()) for row in rows[:k]))
                of.append(len(got & wanted) / len(wanted))
        server.process.kill()
        server.process.communicate()
        return orders, found, *(100 * statistics.mean(of) for of in shares.values())

    # ---- Reads

    def context(self):
        database, folder = self.stock(self.options.rows, max(1, self.options.rows // memory.ROWS_OF_PROJECT))
        recorded = self.file("context.recorded")
        with self.store.recorded(database, recorded) as (server, mark):
            self.warm(server)
            mark()
            self.load(server, 1, 1, "asks")
        if self.options.show:
            print(self.store.show(recorded))
        shares = {"p50": [], "p99": []}
        with self.store.running(database) as server, self.files(folder) as other:
            for one in (server, other):
                self.warm(one)
            for _ in range(self.options.rounds):
                http = self.http_floor()
                loop = self.store.loop("reads", database, recorded)
                sqlite, ours = (self.load(of, 1, self.options.seconds, "asks") for of in (other, server))
                for at, least in shares.items():
                    # The fetch is a round trip itself: the second one.
                    floor = http[f"{at}_us"] + self.trip[f"{at}_us"] + loop[f"last_{at}_us"]
                    least.append((ours[f"{at}_us"] / floor, ours[f"{at}_us"], floor, sqlite[f"{at}_us"]))
        self.say("statements of GET /context", f"{loop['statements']:.1f}", f"in {loop['flights']:.1f} round trips; "
                 f"a bare loop needs {loop['p50_us']:.0f} µs, p99 {loop['p99_us']:.0f}")
        for at, bar in (("p50", 1.5), ("p99", 2)):
            ratio, ours, floor, sqlite = sorted(shares[at])[len(shares[at]) // 2]
            self.say(f"GET /context {at}", f"{ours:.0f} µs", f"floor {floor:.0f}, SQLite {sqlite:.0f}")
            self.judge(f"GET /context {at} / (HTTP + two round trips + fetch)", ratio, bar)
        self.cold(database, folder)

    def http_floor(self):
        trivial = subprocess.Popen([self.file("http_load"), "floor", "2000"], stdout=subprocess.PIPE, text=True)
        try:
            return self.load(int(trivial.stdout.readline()), 1, 1, "asks")
        finally:
            trivial.kill()
            trivial.wait()

    def cold(self, database, folder):
        """The first question of a project since the server's start."""
        recorded, projects = self.file("cold.recorded"), max(1, self.options.rows // memory.ROWS_OF_PROJECT)
        with self.store.recorded(database, recorded) as (server, mark):
            wire.ask(server.api, "GET", "/context?project=none&query=warm")
            mark()
            self.first(server, projects)
        floor = self.store.loop("reads", database, recorded)
        times = {"PostgreSQL": [], "SQLite": []}
        for _ in range(self.options.rounds):
            with self.store.running(database) as server:
                times["PostgreSQL"] += self.first(server, projects)
            with self.files(folder) as server:
                times["SQLite"] += self.first(server, projects)
        for of in times.values():
            of.sort()
        ours, sqlite = ((1e3 * of[len(of) // 2], 1e3 * of[-1]) for of in times.values())
        self.say("a cold project of 1,000 rows, p50", f"{ours[0]:.1f} ms",
                 f"most {ours[1]:.1f}; SQLite {sqlite[0]:.1f}; its statements in a bare loop {floor['p50_us'] / 1e3:.1f}")
        self.judge("a cold project of 1,000 rows, p50 in ms", ours[0], 25)

    def first(self, server, projects):
        wire.ask(server.api, "GET", "/context?project=none&query=warm")
        times = []
        for number in range(projects):
            words = "+".join(self.language.pick(12))
            started = time.monotonic()
            status, said = wire.ask(server.api, "GET", f"/context?project=project-{number}&limit=5&query={words}")
            times.append(time.monotonic() - started)
            if status != 200:
                raise SystemExit(f"GET /context: {status} {said}")
        return times

    def large(self):
        if not self.options.large:
            print("large: skipped, it needs --large", flush=True)
            return
        stores = [self.stock(rows, rows // memory.ROWS_OF_PROJECT)[0] for rows in (memory.ROWS_OF_PROJECT, self.options.large)]
        ratios = []
        with self.store.running(stores[0]) as few, self.store.running(stores[1]) as many:
            for server in (few, many):
                self.warm(server)
            for _ in range(self.options.rounds):
                of_few, of_many = (self.load(server, 1, self.options.seconds, "asks") for server in (few, many))
                ratios.append((of_many["p50_us"] / of_few["p50_us"], of_many["p50_us"], of_few["p50_us"]))
        ratio, ours, floor = sorted(ratios)[len(ratios) // 2]
        self.say(f"GET /context p50 in {self.options.large:,} rows", f"{ours:.0f} µs", f"in 1,000 rows {floor:.0f}")
        self.judge("GET /context p50, many rows / 1,000", ratio, 2)

    # ---- Writes

    def writes(self):
        database, folder = self.stock(2000, PROJECTS)
        for name, projects in (("spread", PROJECTS), ("hot", 1)):
            self.rows(name, self.options.posts, projects)
            self.rows(name + "-warm", 640, projects)
        per_s, floor, sqlite = {}, {}, {}
        kinds = (("1 client", 1, "spread"), (f"{CLIENTS} clients", CLIENTS, "spread"), (f"{CLIENTS} clients, one project", CLIENTS, "hot"))
        for number in range(self.options.rounds):
            for what, clients, file in kinds:
                floor.setdefault(what, []).append(self.replayed(database, clients, file, number == 0))
                per_s.setdefault(what, []).append(self.posted(database, clients, file))
                sqlite.setdefault(what, []).append(self.posted_to_files(folder, clients, file))
        for what, clients, _ in kinds:
            loops = floor[what]
            plain = self.store.loop("plain", self.store.new(), max(1, round(loops[0]["batch"])), self.options.seconds)
            self.say(f"POST /observations a second, {what}", f"{statistics.median(per_s[what]):.0f}",
                     f"SQLite {statistics.median(sqlite[what]):.0f}; a bare loop {statistics.median(of['per_s'] for of in loops):.0f} "
                     f"in batches of {loops[0]['batch']:.1f} with {loops[0]['statements']:.0f} statements in {loops[0]['flights']:.1f} "
                     f"round trips; with the fewest statements {plain['per_s']:.0f}")
            ratios = [ours / of["per_s"] for ours, of in zip(per_s[what], loops)]
            self.judge(f"POST, {what} / the same statements", statistics.median(ratios), .8, at_most=False)
        one, many, hot = (per_s[what] for what, _, _ in kinds)
        self.judge(f"POST, {CLIENTS} clients / one", statistics.median(a / b for a, b in zip(many, one)), 3, at_most=False)
        self.judge("POST, one hot project / a hundred", statistics.median(a / b for a, b in zip(hot, many)), .7, at_most=False)

    def posted(self, like, clients, file):
        """→ POSTs a second, on a copy."""
        database = self.store.new(like)
        with self.store.running(database) as server:
            self.load(server, clients, 0, file + "-warm")
            self.store.checkpoint()
            done = self.load(server, clients, 0, file)
            self.all_good(done, self.options.posts)
        self.store.drop(database)
        return done["per_s"]

    @staticmethod
    def all_good(done, posts):
        if done["good"] != posts:
            raise SystemExit(f"not all POSTs succeeded: {done}")

    def posted_to_files(self, like, clients, file):
        folder = tempfile.mkdtemp(dir=self.folder)
        shutil.copytree(like, folder, dirs_exist_ok=True)
        with self.files(folder) as server:
            self.load(server, clients, 0, file + "-warm")
            done = self.load(server, clients, 0, file)
            self.all_good(done, self.options.posts)
        shutil.rmtree(folder)
        return done["per_s"]

    def replayed(self, like, clients, file, show):
        """Records the POSTs on a copy, and sends their statements to another → the loop's figures."""
        first, second, recorded = self.store.new(like), self.store.new(like), self.file("posts.recorded")
        with self.store.recorded(first, recorded) as (server, mark):
            self.load(server, clients, 0, file + "-warm")
            mark()
            self.all_good(self.load(server, clients, 0, file), self.options.posts)
        if show and self.options.show and clients == 1:
            print(self.store.show(recorded))
        self.store.checkpoint()
        done = self.store.loop("writes", second, recorded)
        for database in (first, second):
            self.store.drop(database)
        return {**done, "per_s": self.options.posts / done["seconds"], "batch": self.options.posts / done["transactions"]}

    def replicas(self):
        database, _ = self.stock(2000, PROJECTS)
        halves = ("half-a", "half-b")
        for half in halves:
            self.rows(half, self.options.posts // 2, PROJECTS)
        with open(self.file("whole"), "w", encoding="utf-8") as whole:
            for lines in zip(*(open(self.file(half), encoding="utf-8") for half in halves)):
                whole.writelines(lines)
        ratios = []
        for _ in range(self.options.rounds):
            first, second = self.store.new(database), self.store.new(database)
            with self.store.running(first) as server:
                one = self.load(server, CLIENTS, 0, "whole")["per_s"]
            with self.store.running(second) as server, self.store.running(second) as other:
                loads = [subprocess.Popen([self.file("http_load"), "run", of.api.rsplit(":", 1)[1], str(CLIENTS // 2), "0", self.file(half)],
                                          stdout=subprocess.PIPE, text=True) for of, half in zip((server, other), halves)]
                said = [json.loads(load.communicate()[0]) for load in loads]
            two = sum(of["good"] for of in said) / max(of["seconds"] for of in said)
            ratios.append((two / one, two, one))
            for name in (first, second):
                self.store.drop(name)
        ratio, two, one = sorted(ratios)[len(ratios) // 2]
        self.say(f"POST a second at two servers, {CLIENTS} clients", f"{two:.0f}", f"at one {one:.0f}")
        self.judge("POST, two servers / one", ratio, .9, at_most=False)

    # ---- All

    def sizes(self):
        engine_sizes.measure(self)

    def fence(self):
        engine_neighbours.fence(self)

    def isolation(self):
        engine_neighbours.isolation(self)

    def all(self):
        stolen = Stolen()
        self.questions()
        self.floors()
        for part in PARTS:
            if not self.options.only or part in self.options.only.split(","):
                print(f"-- {part}", flush=True)
                getattr(self, part)()
        print(f"{self.missed} bars missed; the machine gave {stolen.percent()} of its time to others; load {os.getloadavg()[0]:.1f}")
        return 1 if self.missed and self.options.bars else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help=", ".join(PARTS))
    parser.add_argument("--rows", type=int, default=20_000, help="of the store that is read")
    parser.add_argument("--posts", type=int, default=3000, help="of each measurement of writes")
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement of reads")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", type=int, default=0, help="rows of the large store; 0: without it")
    parser.add_argument("--data", default="", help="the path before -records.jsonl and -questions.jsonl")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="statements of a usual transaction")
    parser.add_argument("--bars", action="store_true", help="exit 1 if a bar is missed")
    options = parser.parse_args()
    if unknown := set(filter(None, options.only.split(","))) - set(PARTS):
        parser.error(f"--only: no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    folder = tempfile.mkdtemp(prefix="agent-memory-bench-")
    os.chmod(folder, 0o755)  # the server of PostgreSQL has another user
    try:
        with engine_store.Store(folder) as store:
            return Engine(options, folder, store).all()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
