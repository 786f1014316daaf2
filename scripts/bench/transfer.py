#!/usr/bin/env python3
"""Measures export and import: fills a server, exports it in each format, imports each export twice into a fresh
server, compares, and prints rows a second and the server's resident memory, before and at its peak. Has no limits,
but exit 1 if a round trip loses or adds a row.

    scripts/bench/transfer.py [--mb 200 | --rows 100000] [--formats json,jsonl,sqlite,markdown,obsidian]
                              [--seed 1] [--traces 100000]

--traces N imports N traces as AgentOS' JSON instead: exit 1 below 5,000 a second, too."""
import argparse
import hashlib
import http.client
import json
import os
import random
import shutil
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e/support")]

import programs  # noqa: E402

PIECE = 1 << 16
WORDS = 20000
TIMEOUT_S = 3600
TRACES_A_SECOND = 5000


def generated(rows, characters, seed):
    """Yields the pieces of an export in JSON, whose texts have the word frequencies of a language."""
    source = random.Random(seed)
    vocabulary = [f"w{n}" for n in range(WORDS)]
    weights = [1 / (n + 1) for n in range(WORDS)]
    text = " ".join(source.choices(vocabulary, weights, k=200_000))
    sessions = max(1, rows // 50)
    yield b'{"format":"agent-memory/1","sessions":['
    for n in range(sessions):
        row = {"id": f"s{n}", "project": f"p{n % 10}", "started_at": "2026-01-01T00:00:00Z", "message_count": 2}
        yield (("," if n else "") + json.dumps(row)).encode()
    yield b'],"observations":['
    piece = ""
    for n in range(rows):
        at, session = source.randrange(len(text) - characters), n % sessions
        when = f"2026-01-01T{n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}Z"
        row = {"id": n + 1, "session_id": f"s{session}", "project": f"p{session % 10}", "type": "discovery",
               "title": f"note {n}", "content": text[at:at + characters] + f" row{n}", "created_at": when}
        piece += ("," if n else "") + json.dumps(row)
        if len(piece) > PIECE:
            yield piece.encode()
            piece = ""
    yield (piece + "]}").encode()


def generated_brain(rows, characters, seed):
    """Yields the pieces of a brain in AgentOS' JSON: traces, and an edge from each to the one before."""
    source = random.Random(seed)
    vocabulary = [f"w{n}" for n in range(WORDS)]
    text = " ".join(source.choices(vocabulary, [1 / (n + 1) for n in range(WORDS)], k=200_000))
    piece = '{"traces":['
    for n in range(rows):
        at = source.randrange(len(text) - characters)
        row = {"id": f"mt_{n}", "type": ("episodic", "semantic", "procedural")[n % 3], "scope": "user",
               "scopeId": f"user-{n % 10}", "content": text[at:at + characters] + f" row{n}", "strength": 0.5,
               "tags": ["bench", f"t{n % 50}"], "emotions": {}, "metadata": {"source": "bench"},
               "createdAt": 1711234567890 + n, "lastAccessed": 1711234567890 + n, "retrievalCount": n % 5}
        piece += ("," if n else "") + json.dumps(row)
        if len(piece) > PIECE:
            yield piece.encode()
            piece = ""
    piece += '],"edges":['
    for n in range(1, rows):
        piece += ("," if n > 1 else "") + json.dumps({"from": f"mt_{n}", "to": f"mt_{n - 1}", "kind": "after", "weight": 0.5})
        if len(piece) > PIECE:
            yield piece.encode()
            piece = ""
    yield (piece + "]}").encode()


def from_file(path):
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield piece


class Measured:
    """Seconds, and the peak of the server's resident memory, inside the `with`."""

    def __init__(self, server):
        self.pid = server.pid

    def __enter__(self):
        with open(f"/proc/{self.pid}/clear_refs", "w", encoding="ascii") as reset:
            reset.write("5")  # resets the peak (VmHWM) to the present size
        self.before, self.started = programs.resident(self.pid)[0] / 1024, time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.started
        with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            self.peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

    def said(self, what, rows, size):
        print(f"{what:34s} {size / 1e6:8.1f} MB {self.seconds:8.1f} s {rows / self.seconds:9.0f} rows/s"
              f"   RSS {self.before:6.1f} -> peak {self.peak:6.1f} MiB", flush=True)


def call(server, method, path, body=None):
    host, port = server.api.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=TIMEOUT_S)
    connection.request(method, path, body=body, encode_chunked=body is not None,
                       headers={"Transfer-Encoding": "chunked", "Content-Type": "application/octet-stream"}
                       if body is not None else {})
    return connection.getresponse()


def take_in(server, pieces, what, size=None):
    sent = 0

    def counted():
        nonlocal sent
        for piece in pieces:
            sent += len(piece)
            yield piece
    with Measured(server) as measured:
        answer = call(server, "POST", "/import", counted())
        report = json.loads(answer.read())
    if answer.status != 200 or report["errors"]:
        raise SystemExit(f"{what}: {answer.status} {str(report)[:400]}")
    measured.said(what, report["imported"] + report["skipped"], size or sent)
    return report, measured


def give_out(server, form, path, rows):
    with Measured(server) as measured, open(path, "wb") as file:
        answer = call(server, "GET", f"/export?format={form}")
        if answer.status != 200:
            raise SystemExit(f"export {form}: {answer.status} {answer.read()[:400]}")
        shutil.copyfileobj(answer, file, PIECE)
    measured.said(f"export {form}", rows, os.path.getsize(path))


def fingerprint(server):
    """→ a digest over every exported row, without the time of the export."""
    digest, rows = hashlib.sha256(), 0
    answer = call(server, "GET", "/export")
    for line in answer:
        if b'"exported_at"' not in line:
            digest.update(line)
            rows += line.startswith(b'{"content"')
    return digest.hexdigest(), rows


def round_trip(folder, source, form, rows, wanted):
    path = os.path.join(folder, f"export.{form}")
    give_out(source, form, path, rows)
    other = programs.server(os.path.join(folder, f"to-{form}")).start()
    try:
        take_in(other, from_file(path), f"import {form}")
        again, _ = take_in(other, from_file(path), f"import {form} again")
        same = fingerprint(other) == wanted
        print(f"{form}: rows {'equal' if same else 'DIFFER'}, the second import added "
              f"{again['imported_observations'] + again['imported_sessions']}", flush=True)
        return same and again["imported_observations"] + again["imported_sessions"] == 0
    finally:
        other.kill()
        os.remove(path)


def brain(folder, rows, characters, seed):
    """Imports a brain twice, and its export into another server. → true if nothing is lost, and fast enough."""
    server = programs.server(os.path.join(folder, "brain")).start()
    path = os.path.join(folder, "brain.json")
    try:
        report, measured = take_in(server, generated_brain(rows, characters, seed), f"import of {rows} traces")
        speed = rows / measured.seconds
        again, _ = take_in(server, generated_brain(rows, characters, seed), "the same again")
        give_out(server, "agentos-json", path, rows)
        other = programs.server(os.path.join(folder, "other")).start()
        try:
            back, _ = take_in(other, from_file(path), "import of the export")
        finally:
            other.kill()
        whole = all(one["imported_traces"] == rows and one["imported_edges"] == rows - 1 for one in (report, back))
        print(f"agentos-json: {speed:.0f} traces/s with their edges (bar {TRACES_A_SECOND}), "
              f"{'nothing' if whole else 'SOMETHING'} is lost, the second import added {again['imported']}", flush=True)
        return whole and again["imported"] == 0 and speed >= TRACES_A_SECOND
    finally:
        server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, help="size of the exported JSON")
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--characters", type=int, default=400, help="of a row's content")
    parser.add_argument("--formats", default="json,jsonl,sqlite,markdown,obsidian")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--traces", type=int, default=0, help="of AgentOS' JSON, in place of rows")
    options = parser.parse_args()
    rows = options.rows if options.mb is None else int(options.mb * 1e6 / (options.characters + 480))
    folder = tempfile.mkdtemp(prefix="agent-memory-transfer-")
    if options.traces:
        try:
            return 0 if brain(folder, options.traces, options.characters, options.seed) else 1
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    source = programs.server(folder).start()
    try:
        take_in(source, generated(rows, options.characters, options.seed), f"import of {rows} made rows")
        wanted = fingerprint(source)
        if wanted[1] != rows:
            raise SystemExit(f"{rows} rows went in, {wanted[1]} came out")
        done = [round_trip(folder, source, form, rows, wanted) for form in options.formats.split(",")]
        return 0 if all(done) else 1
    finally:
        source.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
