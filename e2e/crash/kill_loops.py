#!/usr/bin/env python3
"""Kills the sidecar and the server by SIGKILL under load, many times: no acknowledged write may be lost or
stored twice. power_loss.py tests power losses.

    kill_loops.py [--rounds 200] [--rows 0] [--seed N] [--only sidecar|server|items|…]

With --rows 100000 the server holds that many rows before the first kill, and its starts must be fast, too.

The last line is 'N passed, M failed'."""
import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import integrity  # noqa: E402
import server_away  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402
from load import Load  # noqa: E402

START_P99_S = 0.2  # with --rows, from the start of the process to its first answer
ROUND_S = 60  # a round without enough acknowledgements in this time is a failure


def rounds(checks, target, program, load, count, random_source):
    """Kills `count` times after a random number of acknowledgements; reads the latest items after each start."""
    lost, slowest, starts = [], 0.0, []
    for number in range(count):
        load.round = number // 10
        goal = load.count() + random_source.randint(1, 25)
        if not wire.until(lambda goal=goal: load.count() >= goal, ROUND_S, 0.001):
            checks.that(False, f"round {number}: writes are acknowledged", (load.refused, program.tail()))
            return None
        time.sleep(random_source.uniform(0, 0.005))  # to kill inside a commit, too, not only after one
        load.up.clear()
        program.kill()
        latest = load.latest(3)
        started = time.monotonic()
        program.start()
        starts.append(time.monotonic() - started)
        slowest = max(slowest, starts[-1])
        load.up.set()
        lost += [item for item, where in latest if not target.kept(program, item, where)]
    checks.that(not lost, f"{count} × SIGKILL: after each start the latest acknowledged items are there", lost[:20])
    starts.sort()
    p99 = starts[min(len(starts) - 1, int(0.99 * len(starts)))]
    checks.say(f"restart median {1000 * starts[len(starts) // 2]:.0f} ms, p99 {1000 * p99:.0f} ms, slowest "
               f"{1000 * slowest:.0f} ms")
    return p99


def preload(checks, program, rows):
    """Imports that many rows, in the form of another service's export."""
    for first in range(1, rows + 1, 1000):
        batch = [{"id": n, "session_id": f"old{n % 50}", "type": "discovery", "title": f"row {n}", "project": "coder",
                  "content": f"row {n} of {n % 997} things about module {n % 89}", "scope": "project",
                  "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
                 for n in range(first, min(first + 1000, rows + 1))]
        status, said = wire.ask(program.api, "POST", "/import", {"observations": batch}, timeout=120)
        if status != 200 or said.get("errors"):
            raise SystemExit(f"import of rows {first}…: {status} {said}")
    checks.say(f"{rows} rows imported")


def verdict(checks, target, load, places):
    """Checks the closed files by the identity of items, not by their count."""
    found = targets.items(places)
    lost, twice = integrity.compare(found, load.acknowledged)
    checks.that(not lost, f"{load.count()} acknowledged of {load.attempted}: 0 lost", f"{len(lost)} lost: {lost[:20]}")
    checks.that(not twice, f"{len(found)} found: 0 twice", f"{len(twice)} twice: {twice[:20]}")
    wrong = targets.problems(target.data)
    checks.that(not wrong, "integrity_check and the index check are clean", wrong)


def loop_of(kind, share=1):
    """`share`: divides the number of rounds: tables other than the observations use the same path to the disk."""
    def loop(checks, folder, options):
        count, rows = max(1, options.rounds // share), options.rows if share == 1 else 0
        checks.chapter(f"{kind.name}: {count} × SIGKILL, 8 writers, 4 readers")
        target = kind(folder)
        program = target.program().start()
        load = Load(target, program, writers=8, readers=4)
        try:
            if rows:
                preload(checks, program, rows)
            load.start()
            p99 = rounds(checks, target, program, load, count, random.Random(options.seed))
            if rows and p99 is not None:
                checks.that(p99 <= START_P99_S, f"p99 of the starts with {rows} rows: {1000 * p99:.0f} ms, at most "
                            f"{1000 * START_P99_S:.0f} ms")
            load.stop()
            checks.equal(program.stop(), 0, "SIGTERM: exit 0")
        finally:
            load.stop()
            program.kill()
        for what, places in target.stores().items():
            checks.say(f"{what}:")
            verdict(checks, target, load, places)
        checks.that(not load.refused, "nothing was refused", load.refused)

    return loop


def sidecar_loop(checks, folder, options):
    checks.chapter(f"sidecar: {options.rounds} × SIGKILL, 4 writers, its server up")
    server_target = targets.Server(folder)
    server = server_target.program().start()
    program, load = None, None
    try:
        target = targets.Sidecar(folder, "http://" + server.api)
        program = target.program()
        program.start()
        load = Load(target, program, writers=4)
        load.start()
        rounds(checks, target, program, load, options.rounds, random.Random(options.seed + 1))
        load.stop()
        checks.that(server_away.drained(program), "the outbox is delivered", wire.ask(program.api, "GET", "/v1/status"))
        checks.equal((program.stop(), server.stop()), (0, 0), "SIGTERM: exit 0")
    finally:  # also if the policy was not rendered, or the sidecar did not start
        if load is not None:
            load.stop()
        if program is not None:
            program.kill()
        server.kill()
    checks.say("messages in state.db:")
    verdict(checks, target, load, target.stores()["messages"])
    checks.say("captures in the server:")
    verdict(checks, server_target, load, server_target.stores()["observations"])
    checks.that(not load.refused, "nothing was refused", load.refused)


LOOPS = (("server", loop_of(targets.Server)), ("sidecar", sidecar_loop),
         *((name, loop_of(kind, 4)) for name, kind in targets.BESIDE.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--only", choices=[name for name, _ in LOOPS])
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed {options.seed}: repeat with --seed {options.seed}")
    checks = Checks()
    for name, loop in LOOPS:
        if options.only in (None, name):
            folder = tempfile.mkdtemp(prefix="agent-memory-kill-")
            try:
                loop(checks, folder, options)
            except (Exception, SystemExit) as failure:  # counts as a failed check; the next loop still runs
                checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
