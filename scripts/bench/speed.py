#!/usr/bin/env python3
"""Measures the built programs: writes a second, recall and search over a number of rows, hooks with and
without a server, resident memory. Prints a table, without limits.

    scripts/bench/speed.py [--rows 10000] [--seed 1]"""
import argparse
import http.client
import os
import random
import shutil
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e/support"), os.path.join(ROOT, "e2e/crash")]

import programs  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402

WRITERS = 8
ASKED = 200  # measurements of each kind


def words(source, count, vocabulary=20000):
    """Text with the word frequencies of a language (Zipf), as realistic work for an index."""
    return " ".join(f"w{int(vocabulary ** source.random())}" for _ in range(count))


def connect(program):
    host, port = program.api.rsplit(":", 1)
    return http.client.HTTPConnection(host, int(port), timeout=60)


def timed(calls):
    """→ (median, 95th percentile) in ms."""
    times = []
    for call in calls:
        started = time.monotonic()
        status, said = call()
        times.append(1000 * (time.monotonic() - started))
        if not 200 <= status < 300:
            raise SystemExit(f"a request failed: {status} {said}")
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.95)]


def row(what, value):
    print(f"{what:58s} {value}", flush=True)


def fill(server, rows, seed):
    """Writes `rows` rows with WRITERS parallel clients → rows a second."""
    def writer(number):
        source, connection = random.Random(seed + number), connect(server)
        for index in range(number, rows, WRITERS):
            body = {"session_id": f"s{index % 100}", "project": "coder", "type": "discovery",
                    "title": words(source, 6), "content": words(source, 40)}
            status, said = wire.on(connection, "POST", "/observations", body)
            if status != 201:
                raise SystemExit(f"a write failed: {status} {said}")
    started = time.monotonic()
    threads = [threading.Thread(target=writer, args=(n,)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return rows / (time.monotonic() - started)


def server_figures(server, options):
    source, connection = random.Random(options.seed), connect(server)
    row("server, idle: RSS MiB", f"{programs.resident(server.pid)[0] / 1024:.1f}")
    row(f"{WRITERS} writers, {options.rows} rows: a second", f"{fill(server, options.rows, options.seed):.0f}")
    for what, path, count in (("GET /search, 3 words", "/search?project=coder&q=", 3),
                              ("GET /context, 12 words", "/context?project=coder&query=", 12),
                              ("GET /context, 80 words", "/context?project=coder&query=", 80)):
        asked = [path + wire.quote(words(source, count)) for _ in range(ASKED)]
        median, high = timed([lambda p=p: wire.on(connection, "GET", p) for p in asked])
        row(f"{what}: ms p50 / p95", f"{median:.2f} / {high:.2f}")
    row(f"server, {options.rows} rows: RSS MiB", f"{programs.resident(server.pid)[0] / 1024:.1f}")


def hooks(sidecar, source, tag):
    connection = connect(sidecar)

    def event(**fields):
        return lambda: wire.on(connection, "POST", "/v1/hooks", {"session_id": f"bench-{tag}", **fields})

    prompts = [event(hook_event_name="UserPromptSubmit", prompt=words(source, 12)) for _ in range(ASKED)]
    failures = [event(hook_event_name="PostToolUseFailure", tool_name="bash", tool_input={"command": "make"},
                      tool_use_id=f"{tag}-{n}", error="error: " + words(source, 100)) for n in range(ASKED)]
    for what, calls in (("UserPromptSubmit", prompts), ("PostToolUseFailure, captured", failures)):
        median, high = timed(calls)
        row(f"hook {what}, server {tag}: ms p50 / p95", f"{median:.2f} / {high:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder, started = tempfile.mkdtemp(prefix="agent-memory-bench-"), []
    try:
        server = targets.Server(folder).program().start()
        started.append(server)
        server_figures(server, options)
        sidecar = targets.Sidecar(folder, "http://" + server.api).program().start()
        started.append(sidecar)
        sidecar.ready()
        hooks(sidecar, random.Random(options.seed), "up")
        server.kill()
        hooks(sidecar, random.Random(options.seed + 1), "away")
        row("sidecar: RSS MiB", f"{programs.resident(sidecar.pid)[0] / 1024:.1f}")
    finally:
        for program in started:
            program.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
