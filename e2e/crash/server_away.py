#!/usr/bin/env python3
"""The memory server is away during captures: hooks take no longer than before, and after its return every capture
reaches it once, in the order of its session, while new ones arrive (reliability A12: 9,000 captures; at 10 a second
that is 15 minutes).

    server_away.py [--captures 9000] [--rate 100] [--bars]

The rate changes the time, not the count: `--rate 10` takes the 15 minutes. Only `--bars` judges the latency of hooks and
the time until the outbox is empty, which needs an idle machine. The last line is 'N passed, M failed'."""
import argparse
import collections
import concurrent.futures
import http.client
import os
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import damaged_state  # noqa: E402
import programs  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

SESSIONS, BEFORE = 20, 600
AFTER_S = 9  # the sidecar may probe only 30 s after the return: 9,000 and these must fit into its outbox of 10,000
CALLS_PER_WRITE = 2  # limit of the calls to the server after its return: no storm of retries
RISE_MS, DRAIN_S = 5.0, 120.0
PATIENCE_S = 120.0  # without progress: then it hangs, also on a busy machine


def post(sidecar, kind, count, rate):
    """Sends `count` captures at `rate` a second over one connection → (marks of those accepted, times of all in ms)."""
    connection = http.client.HTTPConnection(sidecar.api, timeout=wire.PATIENCE_S)
    taken, times = [], []
    start = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, start + number / rate - time.monotonic()))  # keeps the rate
        session = f"{kind}-{number % SESSIONS}"
        mark = f"{session}x{number}x"
        clock = programs.stopwatch()
        status, _ = wire.on(connection, "POST", "/v1/hooks", {
            "hook_event_name": "PostToolUse", "session_id": session, "tool_name": "bash", "tool_use_id": mark,
            "tool_input": {"command": "make"}, "tool_response": {"stdout": f"error in {mark}"}})
        times.append(1000 * clock())
        if status == 200:
            taken.append(mark)
    connection.close()
    return taken, times


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def stored(folder):
    """The marks in the server's files, in the order of their ids; a duplicate repeats its mark."""
    marks = []
    for file in targets.database_files(os.path.join(folder, "memory")):
        if not targets.has_table(file, "observations"):
            continue
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
            for content, again in db.execute("SELECT content, duplicate_count FROM observations ORDER BY id"):
                marks += re.findall(r"error in (\S+x\d+x)", content)[:1] * (1 + again)
        db.close()
    return marks


def calls(server):
    """Counts the writes that the server received since its start, also refused ones."""
    text = wire.ask(server.admin, "GET", "/metrics")[1]
    return sum(float(line.rsplit(" ", 1)[1]) for line in str(text).splitlines()
               if line.startswith("agent_memory_http_requests_total") and 'method="POST"' in line)


def disorder(marks):
    """Marks that come after a later mark of their session."""
    last, odd = collections.defaultdict(int), []
    for mark in marks:
        session, number, _ = mark.split("x")
        if int(number) < last[session]:
            odd.append(mark)
        last[session] = max(last[session], int(number))
    return odd


def status_of(sidecar):
    """The sidecar's /v1/status; retries, since a busy machine may delay an answer."""
    def answer():
        code, body = wire.ask(sidecar.api, "GET", "/v1/status")
        return body if code == 200 else None
    status = wire.until(answer, PATIENCE_S, 0.1)
    if not status:
        raise SystemExit("the sidecar's /v1/status does not answer:\n" + sidecar.tail())
    return status


def drained(sidecar):
    """Waits while the outbox shrinks, at most PATIENCE_S without progress → whether it is empty."""
    fewest, clock = None, programs.stopwatch()
    while clock() < PATIENCE_S:
        pending = status_of(sidecar)["pending"]
        if pending == 0:
            return True
        if fewest is None or pending < fewest:
            fewest, clock = pending, programs.stopwatch()
        time.sleep(0.1)  # between two polls
    return False


def start_again(server):
    """Starts the server on its former port, an ephemeral one: another process may hold it for a moment."""
    clock = programs.stopwatch()
    while True:
        try:
            return server.start()
        except SystemExit:
            if clock() > PATIENCE_S:
                raise
            time.sleep(1)  # between two attempts


def away(checks, base, options):
    server = programs.server(base).start()
    sidecar = programs.sidecar(base, damaged_state.write_policy(base, "http://" + server.api)).start()
    try:
        checks.that(sidecar.ready(PATIENCE_S), "the sidecar is ready")
        checks.chapter(f"{BEFORE} captures while the server is up, {options.rate:g} a second")
        first, before = post(sidecar, "before", BEFORE, options.rate)
        checks.equal(len(first), BEFORE, "all are taken")
        checks.that(drained(sidecar), "and delivered", status_of(sidecar)["pending"])
        server.kill()
        checks.chapter(f"{options.captures} captures while it is away, {options.rate:g} a second: "
                       f"{options.captures / options.rate:.0f} s")
        taken, during = post(sidecar, "away", options.captures, options.rate)
        checks.equal(len(taken), options.captures, "all are taken")
        rise = percentile(during, 0.99) - percentile(before, 0.99)
        checks.that(rise <= RISE_MS or not options.bars, f"p99 of a hook {percentile(before, 0.99):.1f} ms before, "
                    f"{percentile(during, 0.99):.1f} ms while away: {rise:+.1f} ms, at most {RISE_MS:g}")
        checks.say(f"p50 {percentile(before, 0.5):.1f} ms before, {percentile(during, 0.5):.1f} ms while away")
        checks.chapter("the server is back")
        waiting = status_of(sidecar)["pending"]
        start_again(server)
        clock = programs.stopwatch()
        with concurrent.futures.ThreadPoolExecutor(1) as agent:
            more = agent.submit(post, sidecar, "after", int(AFTER_S * options.rate), options.rate)
            done = drained(sidecar)
            took = clock()
            later, after = more.result()
        rise = percentile(after, 0.99) - percentile(before, 0.99)
        checks.that(rise <= RISE_MS or not options.bars, f"p99 of a hook while it comes back {percentile(after, 0.99):.1f} "
                    f"ms: {rise:+.1f} ms, at most {RISE_MS:g}")
        checks.equal(len(later), int(AFTER_S * options.rate), "captures go on meanwhile, all are taken")
        done = drained(sidecar) and done
        end = status_of(sidecar)
        checks.that(done, f"{waiting} writes drained", end["pending"])
        checks.that(took <= DRAIN_S or not options.bars, f"in {took:.1f} s, at most {DRAIN_S:g}")
        writes, sent = end["accepted"] - BEFORE - SESSIONS, calls(server)  # without the writes before
        checks.that(sent <= CALLS_PER_WRITE * writes, f"{sent:.0f} calls for {writes} writes, at most {CALLS_PER_WRITE} each")
        checks.say(f"{waiting / max(took, 0.1):.0f} a second")
        balanced = end["accepted"] == end["delivered"] + end["pending"] + end["discarded"] and end["dead"] == 0
        checks.that(balanced, "the counters balance, none is dead", end)
        checks.equal((sidecar.stop(PATIENCE_S), server.stop(PATIENCE_S)), (0, 0), "SIGTERM: exit 0")
        marks = stored(base)
        counts = collections.Counter(marks)
        lost = [mark for mark in first + taken + later if not counts[mark]]
        twice = [mark for mark, times in counts.items() if times > 1]
        checks.that(not lost, f"{sum(mark in counts for mark in taken)} of {len(taken)} are in the server's file", lost[:5])
        checks.that(not twice, "each once", twice[:5])
        odd = disorder(marks)
        checks.that(not odd, f"in the order of their {SESSIONS} sessions", odd[:5])
    finally:
        sidecar.kill()
        server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captures", type=int, default=9_000)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--bars", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks, base = Checks(), tempfile.mkdtemp(prefix="agent-memory-away-")
    try:
        away(checks, base, options)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
