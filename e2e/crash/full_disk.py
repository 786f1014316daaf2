#!/usr/bin/env python3
"""Fills the volume at a random moment: writes must be refused at once and visibly, deletes and a shutdown
must still work, and after space is free writes must succeed again without a restart, with nothing lost. Uses
its own small tmpfs. sync_errors.py tests failing disks.

    full_disk.py [--runs 8] [--seed N] [--only server|sidecar]

The full test is --runs 100. The last line is 'N passed, M failed'."""
import argparse
import http.client
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import integrity  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

VOLUME_MIB, SMALL_MIB = 64, 24  # the small volume is for FilledByMemories
REFUSE_S = 0.5    # limit of a refusal, of nine in ten: some make the server give back space, and a machine may pause
SLOWEST_S = 10.0  # limit of each
RETURN_S = 20.0   # limit from free space to successful writes
MOST = 3000       # a full volume must refuse one of so many writes
INSIDE = "AGENT_MEMORY_FULL_DISK_INSIDE"


def mount(folder, mib):
    os.makedirs(folder)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m", "none", folder],
                          capture_output=True, check=False).returncode == 0


def must_mount(folder, mib):
    if not mount(folder, mib):
        raise SystemExit("a tmpfs cannot be mounted")


def unmount(folder):
    subprocess.run(["umount", folder], check=False)


class Volume:
    """The target's volume, and a file that takes all of its free space."""

    def __init__(self, folder):
        self.folder, self.filler = folder, os.path.join(folder, "filler")

    def fill(self):
        with open(self.filler, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass
            try:
                while True:
                    file.write(bytes(512))
            except OSError:
                pass

    def free(self):
        os.unlink(self.filler)


class Writes:
    """Sequential writes, each on a new connection, and their outcomes."""

    def __init__(self, target, program, source):
        self.target, self.program, self.source = target, program, source
        self.next, self.acknowledged, self.refused_s, self.odd = 0, {}, [], []

    def one(self, largest=20000):
        self.next += 1
        host, port = self.program.api.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=wire.PATIENCE_S)
        started = time.monotonic()
        status, where = self.target.write(connection, self.next, f"conversation{self.next % 3}",
                                          "word " * (self.source.randint(0, largest) // 5))
        took = time.monotonic() - started
        connection.close()
        if 200 <= status < 300:
            self.acknowledged[self.next] = where
        elif status == 507:
            self.refused_s.append(took)
        else:
            self.odd.append((self.next, status, where))
        return status

    def until_refused(self, largest=20000):
        """Ten times in a row: a first refusal makes the server give back the space of the WAL, which may be enough for more."""
        refused = 0
        for _ in range(MOST):
            refused = refused + 1 if self.one(largest) == 507 else 0
            if refused == 10:
                return True
        return False

    def until_taken(self):
        started = time.monotonic()
        taken = wire.until(lambda: 200 <= self.one() < 300, RETURN_S, 0.1)
        return time.monotonic() - started if taken else None


def at_once(times_s):
    """True if the refusals were quick: a machine's pauses delay a few."""
    slow = sum(took > REFUSE_S for took in times_s)
    return 10 * slow <= len(times_s) and max(times_s, default=0) <= SLOWEST_S


class Run:
    """One run of the memory server on a volume that gets full and free again."""

    def __init__(self, folder, number, source, reserve):
        self.source, self.faults = source, []
        # Without a reserve the writes themselves fail, with ENOSPC.
        more = [] if reserve else ["--min-free", "0"]
        self.target = targets.Server(folder)
        self.volume = Volume(self.target.data)
        self.program = self.target.program()
        self.program.arguments += more
        self.restarts = number % 4 >= 2
        self.deleted, self.slowest_s, self.back_s = set(), 0.0, None
        self.ballast = os.path.join(self.target.data, "ballast")

    def fault_unless(self, condition, text):
        if not condition:
            self.faults.append(text)

    def delete(self, writes, count, for_good=0.5):
        there = sorted(set(writes.acknowledged) - self.deleted)
        for item in self.source.sample(there, min(count, len(there))):
            hard = self.source.random() < for_good
            path = f"/observations/{writes.acknowledged[item]}" + ("?hard=true" if hard else "")
            status, said = wire.ask(self.program.api, "DELETE", path)
            self.fault_unless(status == 204, f"delete on a full volume: {status} {said}")
            self.deleted.add(item)

    def full(self, writes):
        self.fault_unless(writes.until_refused(), f"{MOST} writes on a full volume and no refusal")
        for _ in range(10):
            writes.one()
        status, said = wire.ask(self.program.admin, "GET", "/readyz")
        wire.until(lambda: wire.ask(self.program.admin, "GET", "/readyz")[0] == 503, RETURN_S, 0.1)
        status, said = wire.ask(self.program.admin, "GET", "/readyz")
        self.fault_unless(status == 503 and "full" in str(said), f"readyz on a full volume: {status} {said}")
        self.fault_unless(wire.ask(self.program.api, "GET", "/context?project=coder&query=error")[0] == 200,
                          "reads on a full volume")
        self.delete(writes, 20)

    def room(self, writes):
        self.back_s = writes.until_taken()
        self.fault_unless(self.back_s is not None, f"no write was taken within {RETURN_S} s")
        self.fault_unless(wire.until(lambda: wire.ask(self.program.admin, "GET", "/readyz")[0] == 200, RETURN_S, 0.1),
                          f"not ready within {RETURN_S} s: {wire.ask(self.program.admin, 'GET', '/readyz')}")
        self.fault_unless(self.ballast_mib() >= 1, f"the ballast is not there again: {self.ballast_mib()} MiB")

    def ballast_mib(self):
        return os.stat(self.ballast).st_blocks / 2048 if os.path.exists(self.ballast) else 0

    def run(self, empty):
        """`empty`: FilledByOthers or FilledByMemories, which fills the volume and makes room again."""
        self.program.start()
        self.fault_unless(0 < self.ballast_mib() <= 8, f"ballast of {self.ballast_mib()} MiB at the start")
        writes = Writes(self.target, self.program, self.source)
        try:
            empty.before(self, writes)
            self.full(writes)
            if self.restarts:
                self.fault_unless(self.program.stop() == 0, "SIGTERM on a full volume")
                self.program.start()
                self.full(writes)
            empty.make_room(self, writes)
            self.room(writes)
            self.fault_unless(self.program.stop() == 0, "SIGTERM")
        finally:
            self.program.kill()
        self.slowest_s = max(writes.refused_s, default=0)
        self.fault_unless(at_once(writes.refused_s), f"refusals took {sorted(writes.refused_s)[-5:]} s")
        self.fault_unless(not writes.odd, f"neither taken nor 507: {writes.odd[:3]}")
        found = targets.items(self.target.stores()["observations"])
        lost, twice = integrity.compare(found, set(writes.acknowledged) - self.deleted)
        self.fault_unless(not lost and not twice, f"lost {lost[:5]}, twice {twice[:5]}")
        self.faults += targets.problems(self.target.data)
        return self.faults


class FilledByOthers:
    """Another writer takes the space, and frees it again."""

    @staticmethod
    def before(run, writes):
        for _ in range(run.source.randint(5, 150)):
            writes.one()
        run.volume.fill()

    @staticmethod
    def make_room(run, _):
        run.volume.free()


class FilledByMemories:
    """The memories take the space, and their deletion frees it again."""

    @staticmethod
    def before(run, writes):
        run.fault_unless(writes.until_refused(largest=48000), "the volume never got full")

    @staticmethod
    def make_room(run, writes):
        run.delete(writes, len(writes.acknowledged) // 2, for_good=1)  # a soft delete keeps the text


def server_chapter(checks, options, base):
    checks.chapter(f"server: a volume of {VOLUME_MIB} MiB gets full")
    bad, slowest, back = [], 0.0, 0.0
    kinds = [FilledByOthers] * options.runs + [FilledByMemories] * max(2, options.runs // 10)
    for number, kind in enumerate(kinds):
        reserve = kind is FilledByMemories or number % 2 == 0
        run = Run(os.path.join(base, f"run{number}"), number, random.Random(options.seed + number), reserve)
        must_mount(run.target.data, SMALL_MIB if kind is FilledByMemories else VOLUME_MIB)
        try:
            bad += [f"run {number} ({kind.__name__}): {fault}" for fault in run.run(kind)]
            slowest, back = max(slowest, run.slowest_s), max(back, run.back_s or RETURN_S)
        finally:
            unmount(run.target.data)
    checks.that(not bad, f"{len(kinds)} runs: {len(bad)} violations", bad[:10])
    checks.say(f"slowest refusal {1000 * slowest:.0f} ms, writes back after at most {back:.2f} s (at most {RETURN_S:.0f})")


def sidecar_chapter(checks, options, base):
    checks.chapter("sidecar: its volume of 8 MiB gets full")
    target = targets.Sidecar(base)
    must_mount(target.data, 8)
    volume = Volume(target.data)
    program = target.program().start()
    writes = Writes(target, program, random.Random(options.seed))
    try:
        for _ in range(20):
            writes.one()
        volume.fill()
        checks.that(writes.until_refused(), "hooks are refused with 507, visibly", writes.odd[:3])
        checks.that(at_once(writes.refused_s), f"refused in {1000 * max(writes.refused_s):.0f} ms")
        checks.equal(target.read(http.client.HTTPConnection(*program.api.rsplit(":", 1), timeout=10), "conversation1"),
                     200, "its other answers go on")
        volume.free()
        checks.that(writes.until_taken() is not None, f"hooks are taken again within {RETURN_S:.0f} s", writes.odd[:3])
        checks.equal(program.stop(40), 0, "SIGTERM: exit 0")
    finally:
        program.kill()
    for what, places in target.stores().items():
        lost, twice = integrity.compare(targets.items(places), writes.acknowledged)
        checks.that(not lost and not twice, f"{what}: {len(writes.acknowledged)} acknowledged, 0 lost", (lost, twice))
    checks.that(not writes.odd, "every hook was answered, with 2xx or 507", writes.odd[:3])
    unmount(target.data)


def may_mount():
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "try")
        if not mount(place, 1):
            return False
        unmount(place)
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--only", choices=("server", "sidecar"))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not may_mount():
        if os.environ.get(INSIDE) or not shutil.which("unshare"):
            print("full_disk: needs root, or user namespaces, to mount a small tmpfs\n0 passed, 0 failed, 1 skipped")
            return 0
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "-Urm", sys.executable, *sys.argv])
    print(f"seed {options.seed}: repeat with --seed {options.seed}")
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="agent-memory-full-") as base:
        for name, chapter in (("server", server_chapter), ("sidecar", sidecar_chapter)):
            if options.only in (None, name):
                try:
                    chapter(checks, options, base)
                except (Exception, SystemExit) as failure:  # counts as a failed check; the next program still runs
                    checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
                    unmount(os.path.join(base, "sidecar", "state"))
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
