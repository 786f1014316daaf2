#!/usr/bin/env python3
"""Starts the server without a precondition of durability, and on a volume that another process holds: it must
refuse, soon and with a message that names the cause. A start after a kill must take over the lock.

    wrong_start.py [--rounds 100]

The last line is 'N passed, M failed'."""
import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
import shims  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

REFUSE_S = 10.0  # reliability A18 asks for 2 on an idle machine; --lock-wait is 45 by default
IN_USE, NEWER = 75, 65  # exit codes
PRAGMAS = ("journal_mode=DELETE", "synchronous=NORMAL", "secure_delete=OFF", "journal_size_limit=-1",
           "foreign_keys=OFF", "trusted_schema=ON", "cell_size_check=OFF", "mmap_size=1048576", "temp_store=FILE",
           "wal_autocheckpoint=1000", "query_only=OFF")
LIBRARY = {"SQLite 3.39": ({"SHIM_VERSION": "3039000"}, "too old"),
           "no FTS5": ({"SHIM_NO_FTS5": "1"}, "FTS5"),
           "SQLite for one thread": ({"SHIM_ONE_THREAD": "1"}, "one thread")}
FILE_SYSTEMS = {"NFS": 0x6969, "SMB": 0x517B, "CIFS": 0xFF534D42}


def refusal(folder, environment=None, more=()):
    """→ (exit code, or None if it still ran; output; seconds)."""
    argv = [programs.binary("agent-memory-server"), "--data-dir", os.path.join(folder, "memory"), "--listen",
            "127.0.0.1:0", "--admin", "127.0.0.1:0", "--lock-wait", "0s", *more]
    started = time.monotonic()
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, **(environment or {})})
        return done.returncode, done.stderr + done.stdout, time.monotonic() - started
    except subprocess.TimeoutExpired as late:
        return None, str(late.stderr), time.monotonic() - started


def refuses(checks, folder, what, environment, words, exit_code=1):
    code, said, _ = refusal(folder, environment)
    checks.that(code == exit_code and all(word in said for word in words), f"{what}: refused, and says so",
                (code, said))


def wrong_ground(checks, base):
    checks.chapter("what durability rests on is wrong")
    shim = shims.build("wrong_sqlite", base)
    folder = os.path.join(base, "wrong")
    for pragma in PRAGMAS:
        refuses(checks, folder, pragma, {"LD_PRELOAD": shim, "SHIM_PRAGMA": pragma},
                ["PRAGMA " + pragma.split("=")[0], "must be"])
    for what, (environment, words) in LIBRARY.items():
        refuses(checks, folder, what, {"LD_PRELOAD": shim, **environment}, [words, "SQLite"])
    for what, number in FILE_SYSTEMS.items():
        refuses(checks, folder, what, {"LD_PRELOAD": shim, "SHIM_FILE_SYSTEM": str(number)},
                ["is on " + what, "local file system"])
    program = programs.server(folder, environment={"LD_PRELOAD": shim}).start()
    checks.equal(program.stop(), 0, "with the shim and nothing wrong it starts")


def wrong_file(checks, base):
    checks.chapter("the file is of a newer program, or is none")
    folder = os.path.join(base, "file")
    programs.server(folder).start().stop()
    file = targets.database_files(os.path.join(folder, "memory"))[0]
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    refuses(checks, folder, "a file of a newer program", None, ["schema version 99", "start the newer program again", file],
            NEWER)
    for left in (file + "-wal", file + "-shm"):
        if os.path.exists(left):
            os.unlink(left)
    with open(file, "r+b") as broken:
        broken.write(b"this is not a database".ljust(100, b"."))
    refuses(checks, folder, "a file that is no database", None, [file, "not a database"])


def held_volume(checks, base, rounds):
    checks.chapter("another process holds the volume")
    folder = os.path.join(base, "held")
    program = programs.server(folder).start()
    try:
        slowest, odd = 0.0, []
        for _ in range(rounds):
            code, said, took = refusal(folder)
            slowest = max(slowest, took)
            if code != IN_USE or f"pid {program.pid}" not in said or took > REFUSE_S:
                odd.append((code, took, said))
        checks.that(not odd, f"{rounds} × a second process: each refused, exit {IN_USE}, names the holder; slowest "
                    f"{1000 * slowest:.0f} ms", odd[:2])
        failed = []
        for number in range(rounds):
            program.kill()
            started = time.monotonic()
            program.start()
            status, _ = wire.ask(program.api, "GET", "/health")
            if status != 200 or time.monotonic() - started > REFUSE_S:
                failed.append((number, status, time.monotonic() - started))
        checks.that(not failed, f"{rounds} × killed: each lock taken over", failed[:5])
        checks.equal(program.stop(), 0, "SIGTERM: exit 0")
    finally:
        program.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks, base = Checks(), tempfile.mkdtemp(prefix="agent-memory-start-")
    try:
        for part in (wrong_ground, wrong_file, lambda c, b: held_volume(c, b, options.rounds)):
            try:
                part(checks, base)
            except (Exception, SystemExit) as failure:  # counts as a failed check; the next part still runs
                checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
