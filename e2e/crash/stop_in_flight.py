#!/usr/bin/env python3
"""SIGTERM with fifty turns in flight, with the memory server up and away: the sidecar exits with 0 in time, its volume
has every acknowledged message, and every capture reaches the server after both are back (reliability A16).

    stop_in_flight.py [--runs 10] [--seed N] [--bars]

Only `--bars` judges the limits of A16, which need an idle machine. Else an exit must not take the whole time that a sidecar
has for its deliveries, unless deliveries are left. The last line is 'N passed, M failed'."""
import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import damaged_state  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

TURNS = 50
EXIT_S = {True: 5.0, False: 10.0}  # limit of the exit, by whether the server is up
DRAIN_S, GRACE_S = 20.0, 30.0  # default of the sidecar's --drain-timeout; a pod's time to end


class Turns:
    """Fifty conversations that post hooks without a pause until the sidecar ends."""

    def __init__(self, sidecar, run):
        self.sidecar, self.acknowledged, self.lock = sidecar, [], threading.Lock()
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.turn, args=(f"r{run}-{number}",)) for number in range(TURNS)]
        for thread in self.threads:
            thread.start()

    def turn(self, conversation):
        for number in range(10_000):
            if self.stopping.is_set():
                return
            mark = f"{conversation}x{number}"
            status, _ = wire.ask(self.sidecar.api, "POST", "/v1/hooks", {
                "hook_event_name": "PostToolUse", "session_id": conversation, "tool_name": "bash", "tool_use_id": mark,
                "tool_input": {"command": "make"}, "tool_response": {"stdout": f"error in {mark}"}})
            if status == 0:
                return
            if status == 200:
                with self.lock:
                    self.acknowledged.append((conversation, mark))

    def end(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        return self.acknowledged


def lost_messages(sidecar, acknowledged):
    """Marks of acknowledged hooks whose messages are in no conversation."""
    kept = {}
    for conversation in {conversation for conversation, _ in acknowledged}:
        answer = wire.ask(sidecar.api, "GET", f"/conversations/{conversation}/messages")[1]
        kept[conversation] = {m.get("tool_call_id") for m in answer["messages"]}
    return [mark for conversation, mark in acknowledged if mark not in kept[conversation]]


def stored(server):
    return wire.ask(server.api, "GET", "/stats?project=coder")[1]["total_observations"]


def one_run(checks, base, run, source, bars):
    up = run % 2 == 0
    folder = os.path.join(base, str(run))
    server = programs.server(folder).start()
    sidecar = programs.sidecar(folder, damaged_state.write_policy(folder, "http://" + server.api)).start()
    try:
        sidecar.ready()
        if not up:
            server.kill()
        turns = Turns(sidecar, run)
        time.sleep(source.uniform(0.1, 1.0))  # a random moment
        clock = programs.stopwatch()
        code = sidecar.stop()
        took = clock()
        acknowledged = turns.end()
        place = f"run {run}, the server {'up' if up else 'away'}, {len(acknowledged)} acknowledged"
        left = up and stored(server) < len(acknowledged)
        within_s = EXIT_S[up] if bars else GRACE_S if left else DRAIN_S
        checks.that(code == 0 and took < within_s, f"{place}: exit 0 in {took:.1f} s (< {within_s:.0f})", (code, sidecar.tail()))
        if not up:
            server.start()
        sidecar.start()
        sidecar.ready()
        lost = lost_messages(sidecar, acknowledged)
        checks.that(not lost, f"{place}: every message is there", lost[:5])
        done = wire.until(lambda: wire.ask(sidecar.api, "GET", "/v1/status")[1]["pending"] == 0, 120)
        status = wire.ask(sidecar.api, "GET", "/v1/status")[1]
        there = stored(server)
        checks.that(done and status["dead"] == 0 and status["accepted"] == status["delivered"] and there >= len(acknowledged),
                    f"{place}: every capture is delivered", (status["accepted"], status["delivered"], status["dead"], there))
    finally:
        sidecar.kill()
        server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--bars", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks, base, source = Checks(), tempfile.mkdtemp(prefix="agent-memory-stop-"), random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    try:
        for run in range(options.runs):
            one_run(checks, base, run, source, options.bars)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
