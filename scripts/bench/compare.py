#!/usr/bin/env python3
"""Compares the memory server of two builds in one run: rounds in turn, each with a new data directory, and the median of
the rounds' ratios. Prints durable POSTs a second of one client and of 64, GET /context, and resident memory; exit 1 if a
bar is missed. Needs two release builds and an idle machine; does not test correctness. Both builds use the embedding
table of this repository: without it a build makes no vectors, and is faster for that.

    scripts/bench/compare.py BEFORE AFTER [--rounds 5] [--seconds 3] [--rows 10000] [--seed 1]

BEFORE and AFTER are folders that contain agent-memory-server. The build of a revision:

    git worktree add ../before REVISION && cd ../before
    cmake --preset release && cmake --build --preset release --target agent-memory-server"""
import argparse
import os
import shutil
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "e2e/support"), HERE]

import memory  # noqa: E402
import programs  # noqa: E402

# figure: what it is, whether more is better, the bar of after / before
FIGURES = {
    "one": ("POST /observations a second, 1 client", True, 1.2),
    "many": (f"POST /observations a second, {memory.CLIENTS} clients", True, 1.5),
    "p50": ("GET /context p50, µs", False, 1.0),
    "p99": ("GET /context p99, µs", False, 1.0),
    "idle": ("resident memory, idle, MiB", False, None),
    "filled": ("resident memory after the rows, MiB", False, None),
}
MOST_IDLE_MIB = 14
TABLE = os.path.join(programs.ROOT, "share/agent-memory-server/embedding.table")


def measure(bench, folder, options):
    """One round of one build → its figures."""
    os.environ["AGENT_MEMORY_BIN"] = folder
    data = tempfile.mkdtemp(dir=bench.folder)
    server = programs.server(data)
    server.arguments += ["--embedding-table", TABLE]
    server.start()
    try:
        server.ready()
        found = {"idle": programs.resident(server.pid)[0] / 1024}
        found["one"] = bench.load(server, 1, options.seconds, "alone")["per_s"]
        found["many"] = bench.load(server, memory.CLIENTS, options.seconds, "together")["per_s"]
        bench.load(server, memory.CLIENTS, 0, "many")
        bench.warm(server)
        asked = bench.load(server, 1, options.seconds, "asks")
        found["p50"], found["p99"] = asked["p50_us"], asked["p99_us"]
        found["filled"] = programs.resident(server.pid)[0] / 1024
        return found
    finally:
        server.kill()
        shutil.rmtree(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="agent-memory-bench-")
    try:
        bench = memory.Bench(options, folder)
        bench.questions()
        bench.rows("alone", int(4000 * options.seconds), 100)
        bench.rows("together", int(12000 * options.seconds), 100)
        bench.rows("many", options.rows, max(1, options.rows // memory.ROWS_OF_PROJECT))
        rounds = []
        for number in range(options.rounds):
            builds = [options.before, options.after]
            order = builds if number % 2 == 0 else builds[::-1]
            found = {build: measure(bench, os.path.abspath(build), options) for build in order}
            rounds.append([found[build] for build in builds])
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
        missed = 0
        for figure, (what, more, bar) in FIGURES.items():
            before, after = (statistics.median(pair[side][figure] for pair in rounds) for side in (0, 1))
            ratios = sorted(pair[1][figure] / pair[0][figure] for pair in rounds)
            ratio, said = statistics.median(ratios), ""
            if bar is not None:
                good = ratio >= bar if more else ratio <= bar
                missed, said = missed + (not good), f"{'≥' if more else '≤'} {bar}: {'ok' if good else 'MISSED'}"
            if figure == "idle":
                good = after <= MOST_IDLE_MIB
                missed, said = missed + (not good), f"after ≤ {MOST_IDLE_MIB} MiB: {'ok' if good else 'MISSED'}"
            print(f"{what:42s} before {before:8.1f}  after {after:8.1f}  × {ratio:.2f} "
                  f"({ratios[0]:.2f} to {ratios[-1]:.2f})  {said}", flush=True)
        return 1 if missed else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
