#!/usr/bin/env python3
"""Lets the n-th sync to the disk fail, for each n, once or from then on: after the first error the program
must acknowledge nothing, report that it is not ready, and exit; a restart must find every item acknowledged
before. The test drops unsynced data before the restart, as the kernel may do after a failed sync.
full_disk.py tests full disks.

    sync_errors.py [--first 1] [--last 40] [--seed N] [--only server|tenants|sidecar]

The full test is --last 200. The last line is 'N passed, M failed'."""
import argparse
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

import integrity  # noqa: E402
import shims  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

WRITERS = 4
MOST_ITEMS = 4000   # a run without its failed sync by then stops, and meets it in the last checkpoint
NOT_READY_S = 5.0   # limit after the error
END_S = 60
SYNC_ERROR = 74     # the exit code


class Run:
    """One run of the program with failing syncs, and the run after it."""

    def __init__(self, target, folder, shim, number, sticky, source):
        self.target, self.number, self.source = target, number, source
        self.log = os.path.join(folder, "syncs")
        environment = {"LD_PRELOAD": shim, "SHIM_PATH": os.path.realpath(target.data), "SHIM_N": str(number),
                       "SHIM_LOG": self.log, **({"SHIM_STICKY": "1"} if sticky else {})}
        self.program = target.program(environment=environment)
        self.lock, self.over = threading.Lock(), threading.Event()
        self.next, self.acknowledged, self.late, self.ready = 0, {}, [], []
        self.faults = []

    def syncs(self):
        """→ [(monotonic s, failed, size, path)] in their order."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split(" ", 4) for line in file]
        return [(int(r[1]) / 1e9, int(r[2]) != 0, int(r[3]), r[4]) for r in rows]

    def write(self):
        host, port = self.program.api.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=END_S)
        while not self.over.is_set():
            with self.lock:
                self.next += 1
                item, pad = self.next, self.source.randint(0, 12000)
            if item > MOST_ITEMS:
                break
            asked = time.monotonic()
            status, where = self.target.write(connection, item, f"conversation{item % 3}", "x" * pad)
            if 200 <= status < 300:
                with self.lock:
                    self.acknowledged[item] = where
                    self.late.append((asked, item))
            elif status == 0:
                break
        connection.close()

    def watch(self):
        """Records the times of the probes that found the program ready, until it ends."""
        while not self.over.is_set():
            asked = time.monotonic()
            status, _ = wire.ask(self.program.admin, "GET", "/readyz", timeout=5)
            if status == 200:
                self.ready.append(asked)
            self.over.wait(0.02)

    def live(self):
        os.makedirs(self.target.data, exist_ok=True)
        try:
            self.program.start()
        except SystemExit:  # a sync of the start failed: the program must not start
            self.fault_unless(self.program.process.poll() not in (0, None), "it did not start, and has no exit code")
            return
        threads = [threading.Thread(target=self.write) for _ in range(WRITERS)]
        for thread in threads + [watcher := threading.Thread(target=self.watch)]:
            thread.start()
        for thread in threads:
            thread.join()
        if not any(failed for _, failed, _, _ in self.syncs()):
            self.program.process.send_signal(signal.SIGTERM)  # the shutdown has more syncs
        gone = wire.until(lambda: not self.program.running, END_S)
        self.over.set()
        watcher.join()
        self.fault_unless(gone, f"it still runs {END_S} s after the error")
        self.program.kill()
        failed = [at for at, bad, _, _ in self.syncs() if bad]
        if failed:
            self.fault_unless(self.program.process.poll() == SYNC_ERROR,
                              f"exit code {self.program.process.poll()}, wanted {SYNC_ERROR}")
            self.fault_unless(not [i for asked, i in self.late if asked > failed[0]], "acknowledged after the error")
            self.fault_unless(not [a for a in self.ready if a > failed[0] + NOT_READY_S], "ready after the error")

    def fault_unless(self, condition, text):
        if not condition:
            self.faults.append(text)

    def drop_unsynced(self):
        """Truncates each WAL to its size at its last successful sync."""
        confirmed = {}
        for _, failed, size, path in self.syncs():
            if not failed:
                confirmed[path] = size
        for folder, _, names in os.walk(self.target.data):
            for path in (os.path.realpath(os.path.join(folder, name)) for name in names if name.endswith("-wal")):
                if os.path.getsize(path) > confirmed.get(path, 0):
                    os.truncate(path, confirmed.get(path, 0))

    def again(self):
        """The run after the error, without failing syncs."""
        program = self.target.program()
        program.start()
        code = program.stop()
        self.fault_unless(code == 0, f"exit code {code} of the life after")
        for what, places in self.target.stores().items():
            lost, twice = integrity.compare(targets.items(places), self.acknowledged)
            self.fault_unless(not lost and not twice, f"{what}: lost {lost[:5]}, twice {twice[:5]}")
        self.faults += targets.problems(self.target.data)

    def run(self):
        try:
            self.live()
            self.drop_unsynced()
            self.again()
        finally:
            self.over.set()
            self.program.kill()
        return self.faults


def chapter(checks, make, name, shim, options, base):
    for sticky in (False, True):
        how = "from then on" if sticky else "once"
        bad, acknowledged, met = [], 0, 0
        for number in range(options.first, options.last + 1):
            folder = tempfile.mkdtemp(prefix="run-", dir=base)
            run = Run(make(folder), folder, shim, number, sticky, random.Random(options.seed + number))
            faults = run.run()
            met += any(failed for _, failed, _, _ in run.syncs())
            acknowledged += len(run.acknowledged)
            bad += [f"n = {number}: {fault}" for fault in faults]
            shutil.rmtree(folder, ignore_errors=True)
        runs = options.last - options.first + 1
        checks.equal(met, runs, f"{name}: {runs} runs, sync n = {options.first}…{options.last} failed {how} in each")
        checks.that(not bad, f"{name}: {runs} runs, {acknowledged} acknowledgements: {len(bad)} violations", bad[:10])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--last", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--only", choices=("server", "tenants", "sidecar"))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed {options.seed}: repeat with --seed {options.seed}")
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="agent-memory-sync-") as base:
        shim = shims.build("sync_error", base)
        for name, make in (("server", targets.Server), ("tenants", targets.Tenants), ("sidecar", targets.Sidecar)):
            if options.only in (None, name):
                checks.chapter(f"{name}: the n-th sync fails")
                try:
                    chapter(checks, make, name, shim, options, base)
                except (Exception, SystemExit) as failure:  # counts as a failed check; the next program still runs
                    checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
