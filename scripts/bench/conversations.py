#!/usr/bin/env python3
"""Measures the routes of conversations: working memory, ledger and items against the machine's floor (a trivial HTTP
answer, a sync of the disk), the working-memory section, the page of a block of a conversation of 30 MB, and readers
during the expiry of many rows. Measures floor and route alternately, in rounds; a ratio is the median of the rounds.
Exit 1 if a limit is missed. Needs the release build and an idle machine.

    scripts/bench/conversations.py [--rounds 5] [--seconds 1] [--rows 100000] [--seed 1]
                                   [--only speed,section,blocks,expiry]"""
import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from memory import Bench  # first: it extends sys.path for programs and wire
import blocks

import programs  # noqa: E402
import wire  # noqa: E402

READ, WRITE = 1.5, 1.3      # limits of the ratios to HTTP, and to HTTP + sync
NAMES, BLOCKS = 5000, 200
TTL_S = 90                  # of the rows that expire; suffices to write all of them
SWEEP_S = 300


class Conversations(Bench):
    def file_of(self, name, lines):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return name

    def load(self, *args, **kwargs):
        run = super().load(*args, **kwargs)
        bad = sum(run[key] for key in ("refused", "broken", "other"))
        if bad:
            raise SystemExit(f"{args}: {bad} answers were not good: {run}")
        return run

    def all(self):
        only = set(filter(None, self.options.only.split(",")))
        self.questions()
        self.floors()
        policy = self.file("policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump(blocks.POLICY, file)
        server, sidecar = programs.server(self.file("server")), programs.sidecar(self.folder, policy)
        try:
            for program in (server, sidecar):
                program.start()
            server.ready()
            for part in ("speed", "section", "blocks", "expiry"):
                if not only or part in only:
                    getattr(self, part)(server, sidecar)
        finally:
            server.kill()
            sidecar.kill()
        return 1 if self.missed else 0

    def speed(self, server, sidecar):
        text = self.language.text
        fields = lambda: json.dumps({"fields": {"scratchpad": text(200), "entities": [{"name": text(20)}]}})  # noqa: E731
        item = lambda n: json.dumps({"item": f"skill-{n % 50}"})  # noqa: E731
        put = self.file_of("put", (f"PUT\t/working-memory/c{n % 500}\t{fields()}" for n in range(NAMES)))
        get = self.file_of("get", (f"GET\t/working-memory/c{n % 500}" for n in range(500)))
        mark = self.file_of("mark", (f"POST\t/ledger/c{n % 500}/mark\t{item(n)}" for n in range(NAMES)))
        check = self.file_of("check", (f"POST\t/ledger/c{n % 500}/check\t{item(n)}" for n in range(NAMES)))
        # Each key occurs twice, so that every PUT changes the value.
        keys = NAMES // 2
        store = self.file_of("store", (f"PUT\t/items/k{n % keys}\t{json.dumps({'value': text(400)})}" for n in range(NAMES)))
        item_get = self.file_of("item_get", (f"GET\t/items/k{n}" for n in range(keys)))
        asked = [(program, name, file, bar) for name, file, bar in (
            ("working memory GET", get, READ), ("ledger check", check, READ), ("working memory PUT", put, WRITE),
            ("ledger mark", mark, WRITE)) for program in (server, sidecar)]
        asked += [(server, "item GET", item_get, READ), (server, "item PUT", store, WRITE)]
        for program in (server, sidecar):
            for file in (put, mark):
                self.load(program, 16, 0, file)
        self.load(server, 16, 0, store)
        trivial = subprocess.Popen([self.file("http_load"), "floor", "500"], stdout=subprocess.PIPE, text=True)
        ratios, times = {n: [] for n in range(len(asked))}, {n: [] for n in range(len(asked))}
        try:
            port = int(trivial.stdout.readline())
            for _ in range(self.options.rounds):
                for number, (program, _, file, bar) in enumerate(asked):
                    floor = self.load(port, 1, self.options.seconds / 2, "asks")["p50_us"]
                    if bar == WRITE:
                        floor += self.run("reference_replay", "disk", self.folder, self.options.seconds / 2)["p50_us"]
                    took = self.load(program, 1, self.options.seconds, file)["p50_us"]
                    ratios[number].append(took / floor)
                    times[number].append(took)
        finally:
            trivial.kill()
            trivial.wait()
        for number, (program, name, _, bar) in enumerate(asked):
            where = "server" if program is server else "sidecar"
            self.say(f"{name}, {where}", f"{statistics.median(times[number]):.0f} µs", "p50, one client")
            floor = "(HTTP + sync)" if bar == WRITE else "HTTP"
            self.judge(f"{name}, {where} / {floor}", statistics.median(ratios[number]), bar)

    def section(self, _, sidecar):
        """Measures the rendered section of a conversation with many blocks."""
        for number in range(BLOCKS):
            for one in blocks.turn("section", number, 3, 200):
                wire.ask(sidecar.api, "POST", "/v1/hooks", one)
        status, answer = wire.ask(sidecar.api, "GET", "/conversations/section/render")[:2]
        if status != 200:
            self.say("GET …/render", "not served", str(answer)[:60])
            return
        took = self.load(sidecar, 1, self.options.seconds, self.file_of("render", ["GET\t/conversations/section/render"]))
        self.say(f"GET …/render, {BLOCKS} blocks", f"{took['p50_us']:.0f} µs", f"{answer['chars']} characters, p99 {took['p99_us']:.0f} µs")
        self.judge("render p50 in ms", took["p50_us"] / 1e3, 1)

    def blocks(self, _, sidecar):
        """Measures a block of a conversation of 30 MB in a process that has not read its messages before; the first call
        already opened the file and read the list of blocks."""
        for number in range(blocks.LONG_BLOCKS):
            for one in blocks.turn("long", number, blocks.CALLS, blocks.LONG_OUTPUT):
                wire.ask(sidecar.api, "POST", "/v1/hooks", one)
        sidecar.stop()
        sidecar.start()
        path = "/conversations/long/blocks/30?limit=50"
        wire.ask(sidecar.api, "GET", "/conversations/long/blocks?limit=1")
        before = blocks.peak_kib(sidecar.pid)
        took = blocks.timed(sidecar.api, path)
        grown = (blocks.peak_kib(sidecar.pid) - before) / 1024
        self.judge("a block of 30 MB, p50 in ms", took, 5)
        self.judge("a block of 30 MB, memory in MiB", grown, 2)

    def expiry(self, server, sidecar):
        self.expire(server, "items", (f"PUT\t/items/f{n}?project=many\t" + json.dumps(
            {"value": self.language.text(100), "ttl": f"{TTL_S}s"}) for n in range(self.options.rows)),
            [f"GET\t/items?project=stay&query={'+'.join(self.language.pick(6))}" for _ in range(300)])
        names = [f"f{n}" for n in range(100)]
        many = (f"PUT\t/working-memory/e{n}\t" + json.dumps({"fields": {name: n for name in names}, "ttl_seconds": TTL_S})
                for n in range(self.options.rows // len(names)))
        self.expire(sidecar, "fields", many, [f"GET\t/working-memory/stay{n % 100}" for n in range(300)])

    def expire(self, program, what, fleeting, asks):
        ends = time.monotonic() + TTL_S
        self.file_of("fleeting", fleeting)
        self.file_of("stay", (f"PUT\t/items/s{n}?project=stay\t{json.dumps({'value': self.language.text(400), 'ttl': 0})}"
                              if what == "items" else f"PUT\t/working-memory/stay{n % 100}\t" + json.dumps({"fields": {"a": n}})
                              for n in range(1000)))
        self.file_of("reader", asks)
        self.load(program, 16, 0, "stay")
        filled = self.load(program, 64, 0, "fleeting")
        self.say(f"{self.options.rows:,} {what} with a ttl", f"{filled['per_s']:.0f}", "requests a second")
        self.load(program, 1, 1, "reader")
        # Windows of one second here and during the expiry, so that their worst values are comparable.
        alone = []
        while time.monotonic() < ends - 5 and len(alone) < 20:
            alone.append(self.load(program, 1, 1, "reader")["p99_us"])
        time.sleep(max(0, ends - 2 - time.monotonic()))
        left = lambda: wire.ask(program.admin, "GET", "/v1/status")[1].get("rows", 0)  # noqa: E731
        before, during, began = left(), [], 0
        while time.monotonic() < ends + SWEEP_S:
            during.append(self.load(program, 1, 1, "reader")["p99_us"])
            now = left()
            if what == "items":
                began = began or (now < before and len(during))
                if now <= before - self.options.rows:
                    break
            elif time.monotonic() > ends + 75:
                break
        swept = during[max(0, began - 1):] or [0]
        middle = statistics.median(alone)
        self.say(f"a reader while {what} expire, p99", f"{statistics.median(swept):.0f} µs",
                 f"worst second {max(swept):.0f} µs of {len(swept)}; alone {middle:.0f} µs, worst {max(alone):.0f} µs; {left()} rows left")
        self.judge(f"p99 while {what} expire / alone", statistics.median(swept) / middle, 1.5)
        self.judge("the worst second of both, the same", max(swept) / max(alone), 1.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="agent-memory-bench-")
    try:
        return Conversations(options, folder).all()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
