#!/usr/bin/env python3
"""Kills the primary of a PostgreSQL with a synchronous standby under 16 writers and promotes the standby, on alternating sides:
no acknowledged write is lost or stored twice, each topic has exactly the revisions that were acknowledged, clients see 503 or a
delay and nothing else, and writes succeed again at once after a promotion. The memory server runs on; its address names both.

    postgres_failover.py [--kills 3] [--writers 16] [--seed N] [--durable] [--bars]

The full test is --kills 20 --bars: only --bars judges the time to the first success, which needs an idle machine. After a promotion the new primary is alone until the other side follows it; only then it is killed.
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

import keyed_writers  # noqa: E402
import postgres  # noqa: E402
import postgres_memory as shared  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

FIRST_S = 2.0  # from the promotion to the first acknowledged write
SETTLE_S = 60.0


def attach(standby, primary):
    """The other side follows, and commits wait for it from now on."""
    standby.copy(primary)
    standby.start()
    primary.set("synchronous_standby_names", "*")
    if not wire.until(lambda: shared.caught_up(primary), SETTLE_S):
        raise SystemExit("the standby does not catch up:\n" + open(standby.log, encoding="utf-8").read()[-2000:])


def fail_over(writers, primary, standby, source):
    """→ seconds from the promotion to the first write that began to be acknowledged after it."""
    goal = writers.count() + source.randint(50, 400)
    if not wire.until(lambda: writers.count() >= goal, SETTLE_S, 0.001):
        raise SystemExit(f"writes are not acknowledged while both sides run: {writers.odd}\n{writers.programs[0].tail()}")
    primary.kill()
    time.sleep(source.uniform(0, 1.0))  # until somebody notices
    standby.set("synchronous_standby_names", "")
    standby.promote()
    promoted = time.monotonic()
    if not wire.until(lambda: writers.last > promoted, SETTLE_S, 0.001):
        raise SystemExit(f"no write is acknowledged after the promotion: {writers.odd}\n{writers.programs[0].tail()}")
    return writers.last - promoted


def loop(checks, folder, options):
    source = random.Random(options.seed)
    with postgres.Cluster({"wal_keep_size": "64MB"}, durable=options.durable) as primary:
        shared.prepare(primary)
        standby = postgres.Cluster({"wal_keep_size": "64MB"}, durable=options.durable, standby_of=primary)
        writers, program = None, None
        try:
            attach(standby, primary)
            file = shared.write(os.path.join(folder, "dsn"), shared.address(primary, standby))
            program = shared.server(folder, "server", file).start()
            checks.that(program.ready(), "the server is ready")
            writers = keyed_writers.Writers([program], options.writers)
            writers.start()
            firsts, sides = [], [primary, standby]
            for number in range(options.kills):
                firsts.append(fail_over(writers, *sides, source))
                sides.reverse()
                attach(sides[1], sides[0])
                checks.say(f"kill {number + 1}: first acknowledged write {1000 * firsts[-1]:.0f} ms after the promotion; {writers.count()} so far")
            writers.stop()
            checks.that(max(firsts) <= FIRST_S or not options.bars, f"first success after a promotion: at most {max(firsts):.2f} s of {FIRST_S:g} s", firsts)
            writers.verdict(checks, sides[0])
            checks.equal(program.stop(), 0, "SIGTERM: exit 0")
        finally:
            if writers:
                writers.stop()
            if program:
                program.kill()
            standby.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--bars", action="store_true")
    parser.add_argument("--durable", action="store_true", help="PostgreSQL on the disk, with syncs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed {options.seed}: repeat with --seed {options.seed}")
    checks = Checks()
    if not shared.is_there():
        return 0
    folder = tempfile.mkdtemp(prefix="agent-memory-failover-")
    checks.chapter(f"{options.kills} × SIGKILL of the primary, {options.writers} writers")
    try:
        loop(checks, folder, options)
    except (Exception, SystemExit) as failure:
        checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
