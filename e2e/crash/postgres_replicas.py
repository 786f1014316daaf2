#!/usr/bin/env python3
"""Three replicas of the memory server on one PostgreSQL: writers of one topic key make one row, what one replica acknowledged is
in the next answer of another, and after a SIGKILL of any of them the repeated write is stored once.

    postgres_replicas.py [--asked 2000] [--kills 6] [--seed N]

The full test is --asked 100000 --kills 100. The last line is 'N passed, M failed'."""
import argparse
import collections
import http.client
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import keyed_writers  # noqa: E402
import postgres  # noqa: E402
import postgres_memory as shared  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

REPLICAS, TOGETHER, ROUNDS, ASKERS, WRITERS = 3, 64, 4, 4, 16


def connect(program):
    host, port = program.api.rsplit(":", 1)
    return http.client.HTTPConnection(host, int(port), timeout=wire.PATIENCE_S)


def at_once(count, step):
    threads = [threading.Thread(target=step, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def one_topic(checks, cluster, replicas):
    statuses, ready = collections.Counter(), threading.Barrier(TOGETHER)
    for number in range(ROUNDS):
        def write(n, number=number):
            connection = connect(replicas[n % REPLICAS])
            connection.connect()
            ready.wait()
            status, _ = wire.on(connection, "POST", "/observations", {
                "session_id": f"t{n}", "project": "topics", "type": "decision", "title": "one", "content": f"said by {n}",
                "topic_key": f"shared-{number}"}, {"Idempotency-Key": f"topic-{number}-{n}"})
            statuses[status] += 1
            connection.close()
        at_once(TOGETHER, write)
    checks.equal(dict(statuses), {201: ROUNDS * TOGETHER}, f"{ROUNDS} × {TOGETHER} writers of one topic key over {REPLICAS} replicas: 201")
    found = {key: counts for key, counts in shared.revisions(cluster).items() if key.startswith("shared-")}
    checks.equal(found, {f"shared-{n}": [TOGETHER] for n in range(ROUNDS)}, f"one row each, with {TOGETHER} revisions")


def asked_elsewhere(checks, replicas, count, seed):
    missed, odd, lock = [], [], threading.Lock()

    def ask(number):
        source, connections = random.Random(seed + number), [connect(one) for one in replicas]
        for index in range(count // ASKERS):
            word = f"w{number}x{index}"
            one, other = source.sample(connections, 2)
            status, said = wire.on(one, "POST", "/observations", {
                "session_id": f"a{number}", "project": f"asked-{index // 500}", "type": "discovery", "title": word, "content": f"the word {word} is new"})
            if status != 201:
                with lock:
                    odd.append((status, said))
                continue
            place = f"project=asked-{index // 500}"
            if index % 2:
                status, answer = wire.on(other, "GET", f"/search?{place}&q={word}")
                good = status == 200 and said["id"] in [row["id"] for row in answer]
            else:
                status, answer = wire.on(other, "GET", f"/context?{place}&query={word}")
                good = status == 200 and word in str(answer)
            if not good:
                with lock:
                    missed.append((word, status, str(answer)[:200]))
    started = time.monotonic()
    at_once(ASKERS, ask)
    took = time.monotonic() - started
    checks.that(not odd, "each write is acknowledged", odd[:3])
    checks.that(not missed, f"acknowledged by one replica, asked of another: {count - len(missed)} of {count} ({count / took:.0f} a second)", missed[:3])


def kills(checks, cluster, replicas, options):
    source, writers = random.Random(options.seed), keyed_writers.Writers(replicas, WRITERS, may_close=True)
    writers.start()
    try:
        for number in range(options.kills):
            goal = writers.count() + source.randint(20, 150)
            if not wire.until(lambda goal=goal: writers.count() >= goal, keyed_writers.SETTLE_S, 0.001):
                checks.that(False, f"kill {number}: the others go on", writers.odd)
                break
            time.sleep(source.uniform(0, 0.005))
            victim = source.choice(replicas)
            victim.kill()
            victim.start()
    finally:
        writers.stop()
    writers.verdict(checks, cluster)


def run(checks, folder, options):
    with postgres.Cluster() as cluster:
        file = shared.write(os.path.join(folder, "dsn"), shared.address(shared.prepare(cluster)))
        replicas = [shared.server(folder, f"replica{n}", file, patient=True) for n in range(REPLICAS)]
        try:
            for one in replicas:
                one.start()
            checks.that(all(one.ready() for one in replicas), f"{REPLICAS} replicas are ready")
            checks.chapter("one topic")
            one_topic(checks, cluster, replicas)
            checks.chapter("asked elsewhere")
            asked_elsewhere(checks, replicas, options.asked, options.seed)
            checks.chapter(f"{options.kills} × SIGKILL of a replica, {WRITERS} writers")
            kills(checks, cluster, replicas, options)
            checks.equal([one.stop() for one in replicas], [0] * REPLICAS, "SIGTERM: exit 0")
        finally:
            for one in replicas:
                one.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asked", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed {options.seed}: repeat with --seed {options.seed}")
    checks = Checks()
    if not shared.is_there():
        return 0
    folder = tempfile.mkdtemp(prefix="agent-memory-replicas-")
    try:
        run(checks, folder, options)
    except (Exception, SystemExit) as failure:
        checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
