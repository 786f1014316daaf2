#!/usr/bin/env python3
"""Measures the speed of the memory server as ratios within one run: each figure is compared with the machine's own
floor (a trivial HTTP answer, a sync of the disk, the same query in SQLite without a server) or with the SQL of the
reference service over the same rows. Exit 1 if a ratio is missed. Needs the release build and an idle machine; does
not test correctness.

    scripts/bench/memory.py [--rows 100000] [--seconds 4] [--seed 1] [--only reads,writes,overload,project]
                            [--no-keys] [--cold]

Each write has an Idempotency-Key of 64 digits, like the sidecar's; --no-keys omits the keys, like earlier versions of
this script. --cold adds reads beside writers by a server without a resident index. A commit is a POST of one client, or
of one of many, which is answered when it is on the disk."""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "e2e/support")]

import programs  # noqa: E402
import wire  # noqa: E402

TYPES = 60000      # words of the language
ROWS_OF_PROJECT = 1000
ASKED = "project-0"
CLIENTS = 64
# Measured requests a second of the reference service on two cores with 100,000 rows.
REFERENCE_READS, REFERENCE_WRITES, REFERENCE_WRITES_64 = 73, 596, 531


class Language:
    """Words with the frequencies of a language (Zipf): the most frequent ones are English function words, which every
    ranker drops; the others are random syllables."""

    def __init__(self, seed):
        self.source = random.Random(seed)
        function = ("the of and to in is was that it for on are as with his they at be this have from or had by not "
                    "but what all were when we there can an your which their if do will each about how up out them "
                    "then she some so these would other into has more her two like him see could no than its who").split()
        self.words, seen = list(function), set(function)
        self.common = set(function)
        while len(self.words) < TYPES:
            word = "".join(self.source.choice("bcdfgklmnprstvz") + self.source.choice("aeiou")
                           for _ in range(self.source.choice((2, 3, 3, 4))))
            if word not in seen:
                seen.add(word)
                self.words.append(word)
        self.weights, total = [], 0.0
        for rank in range(1, TYPES + 1):
            total += 1 / rank
            self.weights.append(total)

    def pick(self, count):
        return self.source.choices(self.words, cum_weights=self.weights, k=count)

    def text(self, characters):
        words = self.pick(characters // 4)
        text = " ".join(words)
        return text[:characters].rsplit(" ", 1)[0]


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.missed = options, folder, 0
        self.post = "POST*" if getattr(options, "keys", True) else "POST"  # http_load adds a key to each
        self.language = Language(options.seed)
        for source in ("http_load", "reference_replay"):
            subprocess.run(["c++", "-O2", "-std=c++20", os.path.join(HERE, source + ".cc"), "-lsqlite3", "-o",
                            self.file(source)], check=True)

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *argv):
        done = subprocess.run([self.file(argv[0]), *map(str, argv[1:])], check=True, capture_output=True, text=True)
        said = json.loads(done.stdout)
        if said.get("good") == 0:
            raise SystemExit(f"{' '.join(map(str, argv))}: no good answer: {said}")
        return said

    def load(self, program, connections, seconds, file, rate=None):
        port = program if isinstance(program, int) else program.api.rsplit(":", 1)[1]
        more = [] if rate is None else [rate]
        return self.run("http_load", "run", port, connections, seconds, self.file(file), *more)

    def say(self, what, value, beside=""):
        print(f"{what:52s} {value:>16s}  {beside}", flush=True)

    def judge(self, what, ratio, bar, at_most=True):
        good = ratio <= bar if at_most else ratio >= bar
        self.missed += not good
        self.say(what, f"{ratio:.2f}", f"{'≤' if at_most else '≥'} {bar}: {'ok' if good else 'MISSED'}")

    def rows(self, name, count, projects):
        """Writes `count` posts, and the same rows for the replay."""
        source = self.language.source
        with open(self.file(name), "w", encoding="utf-8") as posts, \
                open(self.file(name + ".rows"), "w", encoding="utf-8") as rows:
            for number in range(count):
                project = source.randrange(projects)
                title, content = self.language.text(36), self.language.text(400)
                body = {"session_id": f"{name}-{project}-{number // (20 * projects)}", "project": f"project-{project}",
                        "type": "note", "title": title, "content": content}
                posts.write(f"{self.post}\t/observations\t{json.dumps(body)}\n")
                rows.write(f"project-{project}\t{title}\t{content}\n")

    def questions(self, count=300):
        with open(self.file("asks"), "w", encoding="utf-8") as asks, \
                open(self.file("questions"), "w", encoding="utf-8") as plain:
            for _ in range(count):
                words = list(dict.fromkeys(self.language.pick(40)))[:12]
                content = [w for w in words if w not in self.language.common] or words
                asks.write(f"GET\t/context?project={ASKED}&limit=5&query={'+'.join(words)}\n")
                plain.write(f"{' '.join(words)}\t{' '.join(content)}\n")

    def floors(self):
        disk = self.run("reference_replay", "disk", self.folder, 2)
        self.say("floor: 8 KiB and fdatasync, a second", f"{disk['syncs_per_s']:.0f}",
                 f"p50 {disk['p50_us']:.0f} µs, p99 {disk['p99_us']:.0f} µs")
        trivial = subprocess.Popen([self.file("http_load"), "floor", "2000"], stdout=subprocess.PIPE, text=True)
        try:
            http = self.load(int(trivial.stdout.readline()), 1, 2, "asks")
        finally:
            trivial.kill()
            trivial.wait()
        self.say("floor: a trivial HTTP answer of 2 KB", f"{http['p50_us']:.0f} µs", f"p99 {http['p99_us']:.0f} µs")
        return disk, http

    def writes(self, server, disk, http):
        seconds = self.options.seconds
        self.rows("alone", 4000 * int(seconds), 100)
        self.rows("together", 12000 * int(seconds), 100)
        one = self.load(server, 1, seconds, "alone")
        many = self.load(server, CLIENTS, seconds, "together")
        replay = self.run("reference_replay", "write", self.folder, self.file("alone.rows"), seconds)["writes_per_s"]
        self.say("POST /observations a second, 1 client", f"{one['per_s']:.0f}", f"p99 {one['p99_us'] / 1e3:.1f} ms")
        self.say(f"POST /observations a second, {CLIENTS} clients", f"{many['per_s']:.0f}",
                 f"p99 {many['p99_us'] / 1e3:.1f} ms")
        for name, run in (("1 client", one), (f"{CLIENTS} clients", many)):
            self.say(f"commit p99, {name}", f"{run['p99_us']:.0f} µs", f"p50 {run['p50_us']:.0f} µs")
        self.say("the reference's write in SQLite, a second", f"{replay:.0f}", "rollback journal, FULL")
        self.judge("C8 one client / syncs", one["per_s"] / disk["syncs_per_s"], .25, at_most=False)
        self.judge(f"C9 {CLIENTS} clients / one", many["per_s"] / one["per_s"], 3, at_most=False)
        self.judge(f"C9 {CLIENTS} clients / the reference's write", many["per_s"] / replay, 7, at_most=False)
        self.judge("one client / the reference's 596 a second", one["per_s"] / REFERENCE_WRITES, 3, at_most=False)
        self.judge(f"{CLIENTS} clients / the reference's 531 a second", many["per_s"] / REFERENCE_WRITES_64, 10,
                   at_most=False)
        bad = sum(run[key] for run in (one, many) for key in ("refused", "broken", "other"))
        self.judge("writes that failed", bad, 0)
        with open(self.file("again"), "w", encoding="utf-8") as file:
            body = {"session_id": "again", "project": "again", "type": "note", "title": "again", "content": "the same"}
            file.write(f"{self.post}\t/observations\t{json.dumps(body)}\n")
        again = self.load(server, 1, 2, "again")
        self.judge("C11 dedup p50 / (HTTP + look-up + sync)", again["p50_us"] / (http["p50_us"] + 6 + disk["p50_us"]), 1.3)

    def warm(self, server):
        """Searches the project twice, so that it is in the resident index, as for an agent at work."""
        self.load(server, 1, 2, "asks")
        time.sleep(1)
        self.load(server, 1, 1, "asks")

    def reads(self, server, http):
        seconds, folder = self.options.seconds, self.file("small")
        small = programs.server(folder).start()
        try:
            self.rows("few", ROWS_OF_PROJECT, 1)
            self.load(small, 8, 0, "few")
            self.warm(small)
            of_few = self.load(small, 1, seconds, "asks")
        finally:
            small.kill()
        self.warm(server)
        one = self.load(server, 1, seconds, "asks")
        many = self.load(server, 8, seconds, "asks")
        self.run("reference_replay", "build", self.file("reference.db"), self.file("many.rows"))
        replay = self.run("reference_replay", "read", self.file("reference.db"), ASKED, self.file("questions"))
        for name, what in (("reference_and", "the reference's search and backfill"),
                           ("reference_or", "its SQL with OR"), ("ranked_by_fts5", "ranked by FTS5, one project")):
            self.say(f"in SQLite alone: {what}", f"{replay[name]['p50_us']:.0f} µs",
                     f"p99 {replay[name]['p99_us']:.0f} µs")
        self.say("GET /context, 1 client", f"{one['p50_us']:.0f} µs", f"p99 {one['p99_us']:.0f} µs")
        self.say("GET /context a second, 8 clients", f"{many['per_s']:.0f}", f"p99 {many['p99_us']:.0f} µs")
        floor = replay["ranked_by_fts5"]
        self.judge("C3 p50 / (HTTP + ranked by FTS5)", one["p50_us"] / (http["p50_us"] + floor["p50_us"]), 1.25)
        self.judge("C3 p99, the same", one["p99_us"] / (http["p99_us"] + floor["p99_us"]), 1.5)
        self.judge(f"C4 p50 at {self.options.rows:,} rows / at 1,000", one["p50_us"] / of_few["p50_us"], 3)
        self.judge("C5 the reference's SQL with OR / ours", replay["reference_or"]["p50_us"] / one["p50_us"], 40,
                   at_most=False)
        self.judge("C6 ours / the reference's search and backfill", one["p50_us"] / replay["reference_and"]["p50_us"], .5)
        self.judge("8 clients / the reference's 73 a second", many["per_s"] / REFERENCE_READS, 50, at_most=False)
        self.judge("reads that failed", sum(run[k] for run in (one, many) for k in ("refused", "broken", "other")), 0)
        return one

    def cold_beside_writers(self):
        """Reads the same rows with a server without a resident index: each query reads the file."""
        with open(self.file("cold"), "w", encoding="utf-8") as file:
            projects = max(1, self.options.rows // ROWS_OF_PROJECT)
            for number in range(500):
                words = "+".join(self.language.pick(12))
                file.write(f"GET\t/context?project=project-{number % projects}&limit=5&query={words}\n")
        server = programs.server(self.file("large"))
        server.arguments += ["--index-memory", "0"]
        server.start()
        try:
            alone = self.load(server, 1, self.options.seconds, "cold")
            self.say("GET /context of cold words, 1 client", f"{alone['p50_us']:.0f} µs", f"p99 {alone['p99_us']:.0f} µs")
            self.beside_writers(server, alone, "cold", "GET /context of cold words")
        finally:
            server.kill()

    def beside_writers(self, server, alone, asks="asks", what="GET /context"):
        self.rows("beside", 12000 * int(self.options.seconds), 100)
        port = server.api.rsplit(":", 1)[1]
        writers = subprocess.Popen([self.file("http_load"), "run", port, str(CLIENTS), str(self.options.seconds + 1),
                                    self.file("beside")], stdout=subprocess.PIPE, text=True)
        time.sleep(.5)
        reads = self.load(server, 1, self.options.seconds, asks)
        wrote = json.loads(writers.communicate()[0])
        self.say(f"{what} beside {CLIENTS} writers", f"{reads['p50_us']:.0f} µs",
                 f"p99 {reads['p99_us']:.0f} µs; {wrote['per_s']:.0f} writes a second, p99 {wrote['p99_us'] / 1e3:.1f} ms")
        cold = "" if asks == "asks" else ", cold words"
        self.judge(f"C10 p99 beside writers / alone{cold}", reads["p99_us"] / alone["p99_us"], 2)
        self.judge("C10 errors", sum(run[k] for run in (reads, wrote) for k in ("refused", "broken", "other")), 0)

    def overload(self, server):
        """Sends long queries of 100 projects, so that the server is the limit, not the load generator."""
        with open(self.file("hard"), "w", encoding="utf-8") as file:
            for _ in range(500):
                words = "+".join(self.language.pick(60))
                file.write(f"GET\t/context?project=project-{self.language.source.randrange(100)}&query={words}\n")
        peak = self.load(server, 64, self.options.seconds, "hard")
        self.say("long questions a second, at most", f"{peak['per_s']:.0f}", f"p99 {peak['p99_us'] / 1e3:.1f} ms")
        for times in (2, 10):
            run = self.load(server, 480, max(self.options.seconds, 5), "hard", rate=times * peak["per_s"])
            self.say(f"{times} times as many begun", f"{run['per_s']:.0f} a second",
                     f"refused {run['refused']}, after p99 {run['refused_p99_us'] / 1e3:.1f} ms; "
                     f"{run['unsent']} found no connection, {run['turned_away']} turned away at the door")
            self.judge("B1 goodput / peak", run["per_s"] / peak["per_s"], .9, at_most=False)
            self.judge("B1 refusals p99 in ms", run["refused_p99_us"] / 1e3, 50)
            self.judge("B1 refusals without Retry-After", run["refused_without_retry_after"], 0)
            self.judge("B1 connections that broke", run["broken"], 0)

    def worst(self, server):
        source = self.language.source
        texts = {"1,000 words": " ".join(self.language.pick(1000)), "10 kB": self.language.text(10000),
                 "function words": " ".join(source.sample(sorted(self.language.common), 40)),
                 "CJK": "".join(chr(source.randrange(0x4E00, 0x9FA5)) for _ in range(1000)),
                 "letters": " ".join("abcdefghijklmnopqrstuvwxyz"), "prefix": "b*"}
        for name, text in texts.items():
            times = []
            for _ in range(20):
                more = "&syntax=fts5" if name == "prefix" else ""
                started = time.monotonic()
                status, said = wire.ask(server.api, "GET", f"/search?q={wire.quote(text[:4000])}&limit=5{more}")
                times.append(time.monotonic() - started)
                if status != 200:
                    raise SystemExit(f"{name}: {status} {said}")
            self.say(f"B9 whole store, {name}", f"{1e3 * sorted(times)[10]:.0f} ms", f"most {1e3 * max(times):.0f} ms")
            self.judge("B9 longest in ms (deadline 250)", 1e3 * max(times), 300)

    def one_project(self):
        """Measures a project that has all rows, with the server on one core (G34)."""
        server = programs.server(self.file("one-project")).start()
        try:
            server.ready()
            self.rows("whole", self.options.rows, 1)
            self.load(server, CLIENTS, 0, "whole")
            for thread in os.listdir(f"/proc/{server.pid}/task"):
                os.sched_setaffinity(int(thread), {0})
            self.warm(server)
            asked = self.load(server, 1, self.options.seconds, "asks")
            self.say(f"GET /context of a project of {self.options.rows:,}", f"{asked['p50_us']:.0f} µs",
                     f"p99 {asked['p99_us']:.0f} µs, on one core")
            self.judge("G34 p99 in ms", asked["p99_us"] / 1e3, 20)
        finally:
            server.kill()

    def sizes(self, server):
        idle = programs.resident(server.pid)
        self.judge("C12 resident, idle: MiB", idle[0] / 1024, 15)

    def sizes_after(self, server):
        for _ in range(2):
            self.load(server, 4, 2, "asks")
        self.judge(f"C12 resident after {self.options.rows:,} rows: MiB", programs.resident(server.pid)[0] / 1024, 32)

    def restart(self, server):
        server.stop()
        times = []
        for _ in range(5):
            clock = programs.stopwatch()
            server.start()
            times.append(1e3 * clock())
            server.kill()
        server.start()
        self.judge(f"C14 start with {self.options.rows:,} rows: ms", sorted(times)[2], 50)

    def all(self):
        only = set(filter(None, self.options.only.split(",")))
        wanted = lambda part: not only or part in only  # noqa: E731
        self.questions()
        disk, http = self.floors()
        server = programs.server(self.file("large")).start()
        try:
            server.ready()
            self.sizes(server)
            if wanted("writes"):
                self.writes(server, disk, http)
            self.rows("many", self.options.rows, max(1, self.options.rows // ROWS_OF_PROJECT))
            filled = self.load(server, CLIENTS, 0, "many")
            self.say(f"filled with {self.options.rows:,} rows, a second", f"{filled['per_s']:.0f}",
                     f"commit p50 {filled['p50_us']:.0f} µs, p99 {filled['p99_us']:.0f} µs")
            if wanted("reads"):
                alone = self.reads(server, http)
                self.beside_writers(server, alone)
                self.sizes_after(server)
                self.worst(server)
            if wanted("overload"):
                self.overload(server)
            self.restart(server)
        finally:
            server.kill()
        if self.options.cold:
            self.cold_beside_writers()
        if wanted("project"):
            self.one_project()
        return 1 if self.missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="reads, writes, overload, project")
    parser.add_argument("--no-keys", dest="keys", action="store_false", help="writes without Idempotency-Keys")
    parser.add_argument("--cold", action="store_true", help="also reads beside writers of words that are in no memory")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="agent-memory-bench-")
    try:
        return Bench(options, folder).all()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
