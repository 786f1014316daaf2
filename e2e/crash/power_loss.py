#!/usr/bin/env python3
"""Simulates a power cut after every system call: runs a program under strace while it acknowledges writes, then
rebuilds the files on the disk after each call, in three models (disk_model.py), and checks that they contain every
item acknowledged by then, once, without damage. kill_loops.py tests kills.

    power_loss.py [--items 100] [--every 1] [--only server|sidecar|items|…]

With stubbed syncs (nosync.c) the same replay must find losses, else it proves nothing. The last
line is 'N passed, M failed'."""
import argparse
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import integrity  # noqa: E402
import shims  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402
from disk_model import MODELS, Disk  # noqa: E402
from strace_log import STRACE, Log  # noqa: E402

WRITERS = 4
TEETH_EVERY = 5   # every fifth point suffices to measure a share
TEETH = 0.8       # share of the points after the first acknowledgement that must show a loss
MIN_POINTS = 3000  # of both programs and all models together (reliability A5)
KINDS = {"server": targets.Server, "sidecar": targets.Sidecar, **targets.BESIDE}
FEWER = 4  # divides the items for targets.BESIDE
ACK = re.compile(rb"^HTTP/1\.1 2\d\d .*?^X-Request-Id: ack-(\d+)\r$", re.S | re.M | re.I)


def traced(target, trace, shim):
    """The program under strace; all its runs append to one log."""
    wrapper = STRACE + ["-A", "-o", trace] + (["-E", f"LD_PRELOAD={shim}"] if shim else [])
    return target.program(wrapper=wrapper)


def child_of(pid):
    """The pid of the traced program, which would survive a kill of strace alone."""
    def found():
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return file.read().split()
    return int(wire.until(found, wire.PATIENCE_S)[0])


def write(target, program, numbers):
    """Writes the items over WRITERS parallel connections → those that were not acknowledged."""
    failures = []

    def writer(mine):
        host, port = program.api.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=4 * wire.PATIENCE_S)
        for item in mine:
            status, _ = target.write(connection, item, f"conversation{item % 3}")
            if not 200 <= status < 300:
                failures.append((item, status))
        connection.close()

    threads = [threading.Thread(target=writer, args=(numbers[n::WRITERS],)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def record(checks, target, folder, items, shim=None):
    """Records two runs of the program in one log: the first ends by SIGKILL, the second by SIGTERM, so that the log has
    a recovery and a final checkpoint, too."""
    trace = os.path.join(folder, "trace")
    os.makedirs(target.data, exist_ok=True)
    numbers = list(range(1, items + 1))
    failures = []
    program = traced(target, trace, shim)
    for mine, end in ((numbers[: items // 2], signal.SIGKILL), (numbers[items // 2:], signal.SIGTERM)):
        program.start()
        try:
            failures += write(target, program, mine)
            os.kill(child_of(program.pid), end)
            program.process.wait(4 * wire.PATIENCE_S)
        finally:
            program.kill()
    checks.that(not failures, f"{items} writes acknowledged", failures)
    with open(trace, encoding="utf-8", errors="replace") as file:
        return Log(os.path.realpath(target.data)).read(file)


class Replay:
    """Applies the log call by call and checks the image of each model after each `every`-th call."""

    def __init__(self, target, folder, every):
        self.target, self.every = target, every
        self.root = os.path.realpath(target.data)
        self.image_folder = os.path.join(folder, "image")
        self.disk, self.acknowledged = Disk(), set()
        self.points, self.images = 0, dict.fromkeys(MODELS, 0)
        self.bad = {model: [] for model in MODELS}  # (point, why)
        self.after_first = 0
        self.bad_after_first = dict.fromkeys(MODELS, 0)
        self.seen = {model: (None, None) for model in MODELS}  # (version of the image, result of found())

    def run(self, operations):
        for number, operation in enumerate(operations):
            if operation[0] == "sent":
                self.acknowledged |= {int(n) for n in ACK.findall(operation[1])}
            else:
                self.disk.apply(operation)
            if number % self.every == 0 or number == len(operations) - 1:
                self.cut(number)
        return self

    def cut(self, number):
        self.points += 1
        self.after_first += bool(self.acknowledged)
        for model in MODELS:
            why = self.look(model)
            if why:
                self.bad[model].append((number, why))
                self.bad_after_first[model] += bool(self.acknowledged)

    def look(self, model):
        """→ the fault after a crash at this point, or None. Reads equal images once."""
        if self.seen[model][0] != self.disk.version[model]:
            self.seen[model] = (self.disk.version[model], self.found(model))
            self.images[model] += 1
        wrong, stores = self.seen[model][1]
        if wrong:
            return wrong[0]
        for what, found in stores.items():
            lost, twice = integrity.compare(found, self.acknowledged)
            if lost or twice:
                return f"{what}: lost {lost[:5]}, twice {twice[:5]}"
        return None

    def found(self, model):
        """Writes the image out and reads it as a database: → (problems, {store: items})."""
        shutil.rmtree(self.image_folder, ignore_errors=True)
        for path, content in self.disk.image(model).items():
            place = os.path.join(self.image_folder, os.path.relpath(path, self.root))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content)
        wrong = targets.problems(self.image_folder)
        stores = self.target.stores(self.image_folder)
        return wrong, {what: targets.items(places) for what, places in stores.items()}


def replay(checks, name, folder, options, every, shim=None):
    target = KINDS[name](folder)
    operations = record(checks, target, folder, options.items, shim)
    result = Replay(target, folder, every).run(operations)
    checks.equal(len(result.acknowledged), options.items, "every acknowledgement is in the log")
    syncs = sum(operation[0] == "sync-end" for operation in operations)
    checks.say(f"{len(operations)} calls, {syncs} syncs for {options.items} acknowledgements")
    return result


def honest(checks, name, folder, options):
    checks.chapter(f"{name}: power cut after each call")
    result = replay(checks, name, folder, options, options.every)
    for model in MODELS:
        bad = result.bad[model]
        checks.that(not bad, f"{model:8s} {result.points:5d} crash points, {result.images[model]:5d} images, "
                    f"{len(bad)} violations", bad[:3])
    return result.points * len(MODELS)


def teeth(checks, name, folder, options, shim):
    checks.chapter(f"{name}: the same with the sync stubbed out must go red")
    result = replay(checks, name, folder, options, TEETH_EVERY * options.every, shim)
    checks.that(not result.bad["kill"], "kill     0 violations: the page cache has it all", result.bad["kill"][:3])
    for model in ("ordered", "strict"):
        share = result.bad_after_first[model] / max(1, result.after_first)
        checks.that(share >= TEETH, f"{model:8s} {100 * share:.0f} % of {result.after_first} points after the first "
                    f"acknowledgement flagged (at least {100 * TEETH:.0f} %)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100, help="acknowledged writes for each program")
    parser.add_argument("--every", type=int, default=1, help="look after every n-th call only")
    parser.add_argument("--only", choices=tuple(KINDS))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not shutil.which("strace"):
        print("power_loss: strace is missing: run scripts/deps build", file=sys.stderr)
        return 1
    checks, points = Checks(), 0
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="agent-memory-power-", dir=base) as folder:
        shim = shims.build("nosync", folder)
        for name in KINDS:
            if options.only not in (None, name):
                continue
            try:
                if name in targets.BESIDE:  # the teeth checks of the two programs suffice
                    fewer = argparse.Namespace(**{**vars(options), "items": max(1, options.items // FEWER)})
                    honest(checks, name, os.path.join(folder, name), fewer)
                    continue
                points += honest(checks, name, os.path.join(folder, name), options)
                teeth(checks, name, os.path.join(folder, name + "-teeth"), options, shim)
            except (Exception, SystemExit) as failure:  # counts as a failed check; the next program still runs
                checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    if options.every == 1 and options.only is None:
        checks.that(points >= MIN_POINTS, f"{points} crash points in all, at least {MIN_POINTS}")
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
