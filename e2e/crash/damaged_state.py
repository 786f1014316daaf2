#!/usr/bin/env python3
"""Faults of the sidecar's volume: another process holds it, a newer program wrote its file, the file is damaged, or
single bits of it changed. A second process waits with closed ports and names the holder; a damaged file is set aside and
reported, and its readable rows are delivered; changed bits cost only their own rows.

    damaged_state.py [--rounds 20] [--seed N]

The last line is 'N passed, M failed'."""
import argparse
import glob
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

IN_USE, PATIENCE_S, PAGE = 75, 60.0, 4096
CAPTURES = 60


def links(process):
    """Yields the targets of a process's open descriptors; nothing after its end."""
    for descriptor in glob.glob(f"/proc/{process.pid}/fd/*"):
        try:
            yield os.readlink(descriptor)
        except OSError:
            pass


def listening(process):
    """Counts the ports on which the process listens, according to the kernel."""
    sockets = {link[len("socket:["):-1] for link in links(process) if link.startswith("socket:[")}
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table][1:]
    return sum(row[3] == "0A" and row[9] in sockets for row in rows)


def waits(process, folder):
    return os.path.join(folder, "state/lock") in links(process)


def second(folder, policy, wait):
    argv = [programs.binary("agent-memory-sidecar"), "--policy", policy, "--data-dir", os.path.join(folder, "state"),
            "--lock-wait", wait, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def write_policy(folder, url):
    import json
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "policy.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "agent": "coder", "namespace": "agents", "memory": {"url": url, "project": "coder"},
                   "toolHooks": {"memorySaveRules": [{"name": "errors", "tool": "bash", "matchOutput": "error"}]}}, file)
    return path


def capture(sidecar, number):
    return wire.ask(sidecar.api, "POST", "/v1/hooks", {
        "hook_event_name": "PostToolUse", "session_id": f"c{number % 3}", "tool_name": "Bash", "tool_use_id": f"t{number}",
        "tool_input": {"command": "make"}, "tool_response": {"stdout": f"error number{number}x " + "." * 300, "stderr": ""}})[0]


def held_volume(checks, base, rounds):
    checks.chapter("another process holds the volume")
    folder = os.path.join(base, "held")
    policy = write_policy(folder, "http://127.0.0.1:9")
    first = programs.sidecar(folder, policy).start()
    try:
        odd, slowest = [], 0.0
        for _ in range(rounds):
            clock = programs.stopwatch()
            process = second(folder, policy, "0s")
            said, _ = process.communicate(timeout=PATIENCE_S)
            slowest = max(slowest, clock())
            if process.returncode != IN_USE or f"pid {first.pid}" not in said:
                odd.append((process.returncode, said))
        checks.that(not odd, f"{rounds} × a second one: refused, exit {IN_USE}, names the holder", odd[:2])
        checks.say(f"the slowest, its start included: {slowest:.2f} s")

        clock = programs.stopwatch()
        process = second(folder, policy, "1500ms")
        opened = wire.until(lambda: listening(process) or process.poll() is not None, PATIENCE_S) \
            and process.poll() is None
        said, _ = process.communicate(timeout=PATIENCE_S)
        checks.that(not opened and process.returncode == IN_USE and clock() >= 1.5,
                    "it waits for --lock-wait with closed ports, then gives up", (opened, process.returncode, clock(), said))

        process = second(folder, policy, "30s")
        wire.until(lambda: process.poll() is not None, 1)
        checks.that(process.poll() is None and not listening(process), "it waits while the first one runs")
        first.kill()
        clock = programs.stopwatch()
        checks.that(wire.until(lambda: listening(process) == 2, PATIENCE_S), "and takes over once that is killed")
        checks.say(f"after {clock():.2f} s")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
        checks.equal(process.returncode, 0, "SIGTERM: exit 0")
        first.start()
        process = second(folder, policy, "30s")
        checks.that(wire.until(lambda: waits(process, folder), PATIENCE_S) and not listening(process), "a third one waits")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
        checks.that(process.returncode != 0, "a stop is heard while it waits", process.returncode)
    finally:
        first.kill()


def newer_file(checks, base):
    checks.chapter("a newer program wrote the file")
    folder = os.path.join(base, "newer")
    policy = write_policy(folder, "http://127.0.0.1:9")
    sidecar = programs.sidecar(folder, policy).start()
    sidecar.stop()
    file = os.path.join(folder, "state/state.db")
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    process = second(folder, policy, "0s")
    said, _ = process.communicate(timeout=PATIENCE_S)
    checks.that(process.returncode == 1 and "schema version 99" in said, "refused, and says so", (process.returncode, said))
    checks.equal(glob.glob(file + ".damaged-*"), [], "the file is not set aside")


def damage(checks, base, seed):
    checks.chapter("the file is damaged while captures wait")
    source = random.Random(seed)
    folder = os.path.join(base, "damaged")
    server = programs.server(folder).start()
    policy = write_policy(folder, "http://" + server.api)
    server.kill()
    sidecar = programs.sidecar(folder, policy).start()
    sidecar.ready()
    taken = [capture(sidecar, number) for number in range(CAPTURES)]
    checks.equal(taken, [200] * CAPTURES, f"{CAPTURES} captures are taken while the server is away")
    sidecar.kill()  # its WAL stays
    file = os.path.join(folder, "state/state.db")
    with sqlite3.connect(file) as db:  # copies the WAL into the file
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        leaves = [row[0] for row in db.execute("SELECT pageno FROM dbstat WHERE name = 'outbox' AND pagetype = 'leaf'")] \
            if has_dbstat(db) else []
    db.close()
    pages = os.path.getsize(file) // PAGE
    page = source.choice(leaves) if leaves else pages // 2
    with open(file, "r+b") as broken:
        broken.seek((page - 1) * PAGE)
        broken.write(source.randbytes(PAGE))
    server.start()
    sidecar.start()
    try:
        status = wire.ask(sidecar.api, "GET", "/v1/status")[1]
        checks.that(len(status["damages"]) == 1, f"page {page} of {pages}: the sidecar starts and says so", status["damages"])
        checks.that("set aside" in sidecar.tail(50), "so does its log")
        checks.that(len(glob.glob(file + ".salvaged-*")) >= 1, "the damaged file is kept")
        done = wire.until(lambda: wire.ask(sidecar.api, "GET", "/v1/status")[1]["pending"] == 0, PATIENCE_S)
        status = wire.ask(sidecar.api, "GET", "/v1/status")[1]
        checks.that(done and status["accepted"] == status["delivered"] + status["dead"], "the rest is delivered, the counters balance",
                    {key: status[key] for key in ("accepted", "delivered", "pending", "dead", "dead_by_cause")})
        lost = status["damages"][0]["lost_writes"]
        stats = wire.ask(server.api, "GET", "/stats?project=coder")[1]
        checks.that(lost is not None and stats["total_observations"] >= CAPTURES - lost,
                    f"what was not delivered ({lost}) is a dead letter", (stats, status["dead_by_cause"]))
        checks.equal(capture(sidecar, 1000), 200, "the next capture is taken")
    finally:
        sidecar.kill()
        server.kill()


def changed_bits(checks, base, seed):
    checks.chapter("single bits of stored texts change while captures wait")
    source = random.Random(seed)
    folder = os.path.join(base, "bits")
    server = programs.server(folder).start()
    policy = write_policy(folder, "http://" + server.api)
    server.kill()
    sidecar = programs.sidecar(folder, policy).start()
    sidecar.ready()
    taken = [capture(sidecar, number) for number in range(CAPTURES)]
    checks.equal(taken, [200] * CAPTURES, f"{CAPTURES} captures are taken while the server is away")
    sidecar.kill()
    file = os.path.join(folder, "state/state.db")
    with sqlite3.connect(file) as db:  # copies the WAL into the file
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with open(file, "rb") as read:
        content = read.read()
    hurt = source.sample(range(CAPTURES), 5)
    with open(file, "r+b") as broken:
        for number in hurt:  # in the capture and in its message
            word = f"number{number}x".encode()
            at = -1
            while (at := content.find(word, at + 1)) >= 0:
                place = at + source.randrange(len(word))
                broken.seek(place)
                broken.write(bytes([content[place] ^ 1 << source.randrange(7)]))
    server.start()
    sidecar.start()
    try:
        done = wire.until(lambda: wire.ask(sidecar.api, "GET", "/v1/status")[1]["pending"] == 0, PATIENCE_S)
        messages = [message for number in range(3)
                    for message in wire.ask(sidecar.api, "GET", f"/conversations/c{number}/messages")[1]["messages"]]
        status = wire.ask(sidecar.api, "GET", "/v1/status")[1]
        checks.equal(status["damages"], [], "SQLite sees nothing")
        checks.that(done and status["dead_by_cause"] == {"damaged": len(hurt)}, f"{len(hurt)} changed captures are dead letters",
                    status["dead_by_cause"])
        checks.equal(wire.ask(server.api, "GET", "/stats?project=coder")[1]["total_observations"], CAPTURES - len(hurt),
                     "the others are delivered")
        told = {int(word[len("number"):-1]) for message in messages if message["role"] == "tool"
                for word in message["content"].split() if word.startswith("number") and word.endswith("x")}
        checks.equal(told, set(range(CAPTURES)) - set(hurt), "the others are in the conversations, word for word")
        counts = {"messages": len(hurt), "outbox": len(hurt)}
        checks.that(wire.until(lambda: wire.ask(sidecar.api, "GET", "/v1/status")[1]["damaged_rows"] == counts, PATIENCE_S),
                    "they are counted", status["damaged_rows"])
        checks.that("the checksum of a row of state.db does not match" in sidecar.tail(100), "the log says so")
    finally:
        sidecar.kill()
        server.kill()


def has_dbstat(db):
    try:
        db.execute("SELECT 1 FROM dbstat LIMIT 1")
        return True
    except sqlite3.OperationalError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks, base = Checks(), tempfile.mkdtemp(prefix="agent-memory-state-")
    print(f"seed {options.seed}", flush=True)
    try:
        for part in (lambda c, b: held_volume(c, b, options.rounds), newer_file, lambda c, b: damage(c, b, options.seed),
                     lambda c, b: changed_bits(c, b, options.seed)):
            try:
                part(checks, base)
            except (Exception, SystemExit) as failure:  # counts as a failed check; the next part still runs
                checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
