#!/usr/bin/env python3
"""Measures traces: a run of consolidation over many, readers during the run, a search for traces beside one for
observations, the cost of decay for GET /context, merges of a trace that many others lead to, and turns whose facts are
extracted after the answer. Exit 1 if a limit is
missed. Needs the release build and an idle machine.

    scripts/bench/traces.py [--rows 100000] [--seconds 4] [--seed 1] [--only reflect,search,ingest,decay,merge]"""
import argparse
import json
import shutil
import statistics
import sys
import tempfile
import threading
import time

from memory import Bench  # first: it extends sys.path for the next two

import programs  # noqa: E402
import wire  # noqa: E402

REFLECT_S, READERS_P99, DECAY, MERGE = 10, 2, 1.05, 2
LEADING, MERGES = 20000, 10  # edges to one trace, and merges of it
PROJECT, PLAIN = "project-0", "project-1"
ALIKE = 50  # one of so many traces repeats the one before in capitals


class Traces(Bench):
    def all(self):
        only = set(filter(None, self.options.only.split(",")))
        self.questions()
        disk, http = self.floors()
        server = programs.server(self.file("server"))
        try:
            server.start()
            server.ready()
            self.fill(server)
            for part in ("search", "reflect", "ingest", "merge", "decay"):
                if not only or part in only:
                    getattr(self, part)(server, disk, http)
        finally:
            server.kill()
        return 1 if self.missed else 0

    def fill(self, server):
        with open(self.file("traces"), "w", encoding="utf-8") as file:
            said = []
            for number in range(self.options.rows):
                said.append(self.language.text(300) if number % ALIKE or not said else said[-1].upper())
                body = {"content": said[-1], "project": PROJECT, "type": "semantic" if number % 3 else "episodic"}
                file.write(f"POST\t/traces\t{json.dumps(body)}\n")
        begun = time.monotonic()
        self.load(server, 64, 0, "traces")
        self.say(f"{self.options.rows} traces stored", f"{self.options.rows / (time.monotonic() - begun):.0f} a second", "64 clients")

    def search(self, server, *_):
        with open(self.file("search"), "w", encoding="utf-8") as file, open(self.file("asks"), encoding="utf-8") as asks:
            for line in asks:
                words = line.rsplit("query=", 1)[1].strip().replace("+", " ")
                file.write(f"POST\t/traces/search\t{json.dumps({'query': words, 'project': PROJECT, 'limit': 5})}\n")
        plain = self.load(server, 1, self.options.seconds, "asks")
        traces = self.load(server, 1, self.options.seconds, "search")
        self.say("GET /context, POST /traces/search", f"{plain['p50_us']:.0f}, {traces['p50_us']:.0f} µs",
                 f"p50; p99 {plain['p99_us']:.0f}, {traces['p99_us']:.0f}")

    def decay(self, server, *_):
        """Compares the traces with the same rows as plain observations, with the types and titles of traces, in another
        project of the same file and index; queries both alternately."""
        with open(self.file("traces"), encoding="utf-8") as traces, open(self.file("plain"), "w", encoding="utf-8") as plain:
            for line in traces:
                trace = json.loads(line.split("\t")[2])
                text = trace["content"]
                body = {"session_id": "s", "project": PLAIN, "type": trace["type"], "title": text[:119] + "…", "content": text}
                plain.write(f"POST\t/observations\t{json.dumps(body)}\n")
        with open(self.file("asks"), encoding="utf-8") as asks, open(self.file("plain-asks"), "w", encoding="utf-8") as plain:
            plain.write(asks.read().replace(PROJECT, PLAIN))
        self.load(server, 64, 0, "plain")
        ratios = []
        for _ in range(3):
            observations = self.load(server, 1, self.options.seconds, "plain-asks")["p50_us"]
            ratios.append(self.load(server, 1, self.options.seconds, "asks")["p50_us"] / observations)
        self.judge("GET /context p50: of traces / of observations", statistics.median(ratios), DECAY)

    def reflect(self, server, *_):
        alone = self.load(server, 1, self.options.seconds, "asks")
        answer = {}

        def run():
            begun = time.monotonic()
            status, body = wire.ask(server.api, "POST", "/traces/reflect", {"project": PROJECT})[:2]
            answer.update(status=status, body=body, took=time.monotonic() - begun)

        thread = threading.Thread(target=run)
        thread.start()
        beside = self.load(server, 1, self.options.seconds, "asks")
        thread.join()
        self.say("POST /traces/reflect", f"{answer['took']:.1f} s", json.dumps(answer["body"]))
        self.judge("reflect in s", answer["took"], REFLECT_S)
        self.say("GET /context p99: alone, beside it", f"{alone['p99_us']:.0f}, {beside['p99_us']:.0f} µs")
        self.judge("reader's p99 beside reflect / alone", beside["p99_us"] / alone["p99_us"], READERS_P99)

    def merge(self, server, *_):
        """Merges a trace without edges, then one that many others lead to: both take as long."""
        def pair(name):
            return [f"mt_{name:08x}-0000-4000-8000-{number:012x}" for number in (1, 2)]

        def merges(ids):
            took = []
            for number in range(MERGES):
                begun = time.monotonic()
                status, body = wire.ask(server.api, "POST", "/traces/merge", {"traceIds": ids, "content": f"{ids[0]} {number}"})[:2]
                took.append(time.monotonic() - begun)
                if status != 200:
                    raise SystemExit(f"merge: {status} {body}")
                next_one = wire.ask(server.api, "POST", "/traces", {"content": f"to merge with {ids[0]} {number}"})[1]["traceId"]
                ids = [body["mergedTraceId"], next_one]
            return statistics.median(took)

        hub, alone = pair(1), pair(2)
        leading = [f"mt_00000003-0000-4000-8000-{number:012x}" for number in range(LEADING)]
        body = {"traces": [{"id": one, "type": "episodic", "scope": "user", "scopeId": "default", "content": f"note {one}"}
                           for one in hub + alone + leading],
                "edges": [{"from": one, "to": hub[0], "kind": "about", "weight": 0.5} for one in leading]}
        status, said = wire.ask(server.api, "POST", "/import?format=agentos-json", body, timeout=600)[:2]
        if status != 200 or said.get("imported_edges") != LEADING:
            raise SystemExit(f"import: {status} {said}")
        without, many = merges(alone), merges(hub)
        self.say("POST /traces/merge: alone, of a hub", f"{without * 1e3:.1f}, {many * 1e3:.1f} ms", f"{LEADING} edges lead to it")
        self.judge("merge of a hub / of a trace without edges", many / without, MERGE)

    def ingest(self, server, disk, http):
        with open(self.file("turns"), "w", encoding="utf-8") as file:
            for number in range(2000):
                body = {"user": f"I prefer number {number} of them. " + self.language.text(900), "assistant": self.language.text(1000)}
                file.write(f"{self.post}\t/ingest/turns\t{json.dumps(body)}\n")
        took = self.load(server, 1, 0, "turns")
        floor = http["p50_us"] + disk["p50_us"]
        self.say("POST /ingest/turns, HTTP and a sync", f"{took['p50_us']:.0f}, {floor:.0f} µs", f"p50; p99 {took['p99_us']:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="bench-")
    try:
        return Traces(options, folder).all()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
