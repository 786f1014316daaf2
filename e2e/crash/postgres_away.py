#!/usr/bin/env python3
"""PostgreSQL is away, full, read-only, slow or refuses: the memory server answers 503 (507 when full) soon, /readyz says why, and
service returns without a restart. With --require-sync nothing is acknowledged without a standby.

    postgres_away.py [--only CASE] [--bars]

Only `--bars` judges the times of refusals and returns, which needs an idle machine. The last line is 'N passed, M failed'."""
import argparse
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import integrity  # noqa: E402
import postgres  # noqa: E402
import postgres_memory as shared  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

LOOSE_S = 30.0             # instead of the limits below, without --bars
REFUSE_S = 0.5             # of a refusal
RETURN_S = 5.0             # from the end of the fault to the next acknowledged write
BATCH_S, COMMIT_S = 5, 10  # the server's deadlines: of a batch until its COMMIT, of the COMMIT
LATE_S = 0.5               # beyond them
WAITING = 16               # writers that wait together
WORD = "Correct-Horse-7"   # the password
WAITS = "SELECT {} FROM pg_stat_activity WHERE wait_event = 'SyncRep'"  # sessions
INSIDE = "AGENT_MEMORY_POSTGRES_AWAY_INSIDE"


class Case:
    """A server over `cluster`, and the writes of a test."""

    bars = False

    def __init__(self, checks, folder, dsn, *more):
        self.checks, self.next, self.acknowledged = checks, 0, []
        self.file = shared.write(os.path.join(folder, "dsn"), dsn)
        self.program = shared.server(folder, "server", self.file, *more).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()

    def soon(self, took, limit):
        return took <= (limit if self.bars else max(limit, LOOSE_S))

    def number(self):
        self.next += 1
        return self.next

    def write(self, item=None):
        """→ (status, seconds, answer)."""
        item = item or self.number()
        body = {"session_id": "s", "project": "coder", "type": "bugfix", "title": f"item {item}", "content": f"error: item-{item}- {'x' * 400}"}
        started = time.monotonic()
        status, said = wire.ask(self.program.api, "POST", "/observations", body, {"Idempotency-Key": f"key-{item}"})
        if status == 201:
            self.acknowledged.append(item)
        return status, time.monotonic() - started, said

    def together(self, count=WAITING):
        """Writes at the same time → their outcomes."""
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(self.write, [self.number() for _ in range(count)]))

    def serves(self, what="writes are acknowledged"):
        """Waits for it → seconds."""
        started = time.monotonic()
        item = self.number()
        good = wire.until(lambda: self.write(item)[0] == 201, 30, 0.05)
        took = time.monotonic() - started
        self.checks.that(good and self.soon(took, RETURN_S), f"{what} ({took:.2f} s)", self.program.tail(3))
        ready = wire.until(lambda: shared.readiness(self.program)[0] == 200, LOOSE_S, 0.1)
        self.checks.that(ready, "/readyz is true", shared.readiness(self.program))

    def refuses(self, status, *words, within=REFUSE_S):
        """Writes and reads are refused soon; /readyz says why."""
        seen = [self.write() for _ in range(6)] + self.together(8)
        odd = [(one[0], one[2]) for one in seen if one[0] != status]
        self.checks.that(not odd, f"{len(seen)} writes: {status}", odd[:3])
        slowest = max(one[1] for one in seen)
        self.checks.that(self.soon(slowest, within), f"answered in {slowest:.2f} s, at most {within:g}")
        self.unready(*words)

    def reads(self, wanted):
        started = time.monotonic()
        status, said = wire.ask(self.program.api, "GET", "/context?project=coder&query=error")
        took = time.monotonic() - started
        self.checks.that(status == wanted and self.soon(took, REFUSE_S), f"GET /context: {wanted} in {took:.2f} s", (status, str(said)[:200]))

    def unready(self, *words):
        def said():
            status, text = shared.readiness(self.program)
            return status == 503 and all(word in str(text) for word in words)
        good = wire.until(said, LOOSE_S, 0.1)
        self.checks.that(good, f"/readyz is false, with the reason: {', '.join(words)}", shared.readiness(self.program))
        started = time.monotonic()
        shared.readiness(self.program)
        took = time.monotonic() - started
        self.checks.that(self.soon(took, 1.5), f"and answers in {took:.2f} s")

    def keeps(self, cluster):
        lost, twice = integrity.compare(shared.items(cluster), self.acknowledged)
        self.checks.that(not lost and not twice, f"{len(self.acknowledged)} acknowledged: 0 lost, 0 twice", (lost, twice))
        self.checks.equal(self.program.stop(), 0, "SIGTERM: exit 0")


def away(checks, folder):
    with postgres.Cluster() as cluster, Case(checks, folder, shared.address(shared.prepare(cluster))) as case:
        case.serves()
        cluster.kill()
        case.refuses(503, "PostgreSQL")
        case.reads(503)
        cluster.start()
        case.serves("it is back: writes are acknowledged")
        case.keeps(cluster)


def hangs(checks, folder):
    with postgres.Cluster() as cluster, Case(checks, folder, shared.address(shared.prepare(cluster))) as case:
        case.serves()
        cluster.pause()
        first = case.together()
        slowest = max(one[1] for one in first)
        checks.that({one[0] for one in first} == {503}, f"{WAITING} writes: 503", first[:2])
        checks.that(case.soon(slowest, BATCH_S + COMMIT_S + LATE_S), f"those that wait are answered in {slowest:.2f} s")
        case.refuses(503, "PostgreSQL", within=1.0)  # one caller in turn tries for half a second
        cluster.resume()
        case.serves("it goes on: writes are acknowledged")
        case.keeps(cluster)


def read_only(checks, folder):
    with postgres.Cluster() as cluster, Case(checks, folder, shared.address(shared.prepare(cluster))) as case:
        case.serves()
        cluster.set("default_transaction_read_only", "on")
        time.sleep(0.2)
        case.refuses(503, "read-only")
        case.reads(200)
        cluster.set("default_transaction_read_only", "off")
        case.serves("it takes writes again")
        case.keeps(cluster)


def in_recovery(checks, folder):
    with postgres.Cluster() as primary:
        shared.prepare(primary)
        with Case(checks, folder, shared.address(primary)) as case:
            case.serves()  # the schema
        os.makedirs(os.path.join(folder, "standby"))
        with postgres.Cluster(standby_of=primary) as standby, Case(checks, os.path.join(folder, "standby"), shared.address(standby)) as case:
            case.refuses(503, "PostgreSQL")
            standby.promote()
            case.serves("it is promoted: writes are acknowledged")
            case.keeps(standby)


def slow(checks, folder):
    with postgres.Cluster() as cluster, Case(checks, folder, shared.address(shared.prepare(cluster))) as case:
        case.serves()
        # A deferred trigger runs in COMMIT.
        cluster.sql(f"""CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
            IF coalesce(current_setting('test.waited', true), '') = '' THEN
              PERFORM set_config('test.waited', 'yes', true), pg_sleep(1); END IF; RETURN NULL; END $f$;
          CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON {shared.TABLES}.observations DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION public.wait()""", shared.DATABASE)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            writing = pool.submit(case.together)
            for _ in range(10):
                time.sleep(0.05)
                case.reads(200)
            seen = writing.result()
        slowest = max(one[1] for one in seen)
        checks.that({one[0] for one in seen} == {201} and case.soon(slowest, 3.5),
                    f"1 s a commit: {WAITING} writes share commits, the slowest takes {slowest:.2f} s", [one for one in seen if one[0] != 201][:3])
        cluster.sql(f"DROP TRIGGER slow ON {shared.TABLES}.observations", shared.DATABASE)
        case.serves()
        case.keeps(cluster)


def connection_limit(checks, folder):
    with postgres.Cluster() as cluster, Case(checks, folder, shared.address(shared.prepare(cluster))) as case:
        case.serves()
        cluster.sql(f"ALTER ROLE {shared.ROLE} CONNECTION LIMIT 0")
        cluster.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{shared.ROLE}'")
        case.refuses(503, "too many connections")
        cluster.sql(f"ALTER ROLE {shared.ROLE} CONNECTION LIMIT 3")  # less than the server's own limit
        case.serves("connections are there again")
        seen = case.together()
        checks.that({one[0] for one in seen} == {201}, f"{WAITING} writes over 3 connections", [one for one in seen if one[0] != 201][:2])
        cluster.sql(f"ALTER ROLE {shared.ROLE} CONNECTION LIMIT -1")
        case.keeps(cluster)


def password(checks, folder):
    with postgres.Cluster(password=WORD) as cluster:
        shared.prepare(cluster)
        with Case(checks, folder, shared.address(cluster, password=WORD)) as case:
            case.serves()
            shared.write(case.file, shared.address(cluster, password="Wrong-Horse-8"))
            case.refuses(503, "authentication")
            for what, text in (("empty", ""), ("half written", f"host={cluster.directory}")):
                shared.write(case.file, text)
                case.refuses(503, "DSN" if not text else "dbname")
                checks.say(f"({what})")
            os.unlink(case.file)
            case.refuses(503, "DSN")
            checks.say("(gone)")
            cluster.sql(f"ALTER ROLE {shared.ROLE} PASSWORD 'New-Horse-9'")
            shared.write(case.file, shared.address(cluster, password="New-Horse-9"))
            case.serves("the file has the new password: writes are acknowledged")
            with open(case.program.log, encoding="utf-8") as log:
                text = log.read()
            checks.that("Horse" not in text, "no password is in the log")
            case.keeps(cluster)


def full(checks, folder):
    volume = os.path.join(folder, "volume")
    os.makedirs(volume)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "none", volume], capture_output=True, check=False).returncode:
        return checks.say("skipped: a tmpfs cannot be mounted")
    try:
        with postgres.Cluster() as cluster:
            place = os.path.join(volume, "tablespace")
            os.mkdir(place)
            for path in (folder, volume):
                os.chmod(path, 0o755)
            postgres.give(place)
            cluster.sql(f"CREATE TABLESPACE small LOCATION '{place}'")
            cluster.sql(f"CREATE ROLE {shared.ROLE} LOGIN")
            cluster.sql(f"CREATE DATABASE {shared.DATABASE} OWNER {shared.ROLE} TABLESPACE small")
            with Case(checks, folder, shared.address(cluster)) as case:
                case.serves()
                filler = os.path.join(volume, "filler")
                fill(filler)
                seen = []
                for _ in range(2000):
                    seen.append(case.write())
                    if seen[-1][0] != 201:
                        break
                seen = [seen[-1]] + [case.write() for _ in range(10)]
                odd = [(one[0], one[2]) for one in seen if one[0] != 507]
                checks.that(not odd, f"no space: 507, after {len(case.acknowledged)} writes into the rest", odd[:3])
                checks.that(case.soon(max(one[1] for one in seen), REFUSE_S), f"in {max(one[1] for one in seen):.2f} s")
                case.reads(200)
                os.unlink(filler)
                case.serves("space is free: writes are acknowledged")
                case.keeps(cluster)
    finally:
        subprocess.run(["umount", volume], check=False)
    return None


def fill(path):
    with open(path, "ab", buffering=0) as file:
        for size in (1 << 16, 512):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass


def pair(checks, folder, then):
    with postgres.Cluster() as primary:
        shared.prepare(primary)
        with postgres.Cluster(standby_of=primary) as standby:
            primary.set("synchronous_standby_names", "*")
            wire.until(lambda: shared.caught_up(primary), 30)
            with Case(checks, folder, shared.address(primary, standby), "--require-sync") as case:
                case.serves()
                then(checks, case, primary, standby)


def standby_gone(checks, folder):
    def then(checks, case, primary, standby):
        standby.stop()
        case.refuses(503, "standby")
        case.reads(200)
        waiting = int(primary.sql(WAITS.format("count(*)")))
        checks.equal(waiting, 0, "no session of the server waits for a standby")
        standby.start()
        case.serves("the standby is back: writes are acknowledged")
        primary.set("synchronous_standby_names", "")
        time.sleep(0.2)
        case.refuses(503, "synchronous_standby_names")
        primary.set("synchronous_standby_names", "*")
        case.serves("required and there again: writes are acknowledged")
        case.keeps(primary)
    pair(checks, folder, then)


def standby_hangs(checks, folder):
    def then(checks, case, primary, standby):
        standby.pause()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            writing = pool.submit(case.together)
            wire.until(lambda: primary.sql(WAITS.format("count(*)")) != "0", 5)
            case.unready("standby")
            for _ in range(20):
                case.reads(200)
                time.sleep(0.5)
            seen = writing.result()
        slowest = max(one[1] for one in seen)
        checks.that({one[0] for one in seen} == {503}, f"the standby hangs: {WAITING} writes, no 201", [one for one in seen if one[0] != 503][:2])
        checks.that(case.soon(slowest, BATCH_S + COMMIT_S + LATE_S), f"all that wait are answered in {slowest:.2f} s, at most {BATCH_S + COMMIT_S + LATE_S:g}")
        waiting = int(primary.sql(WAITS.format("count(*)")))
        checks.that(waiting <= 2, f"{waiting} sessions wait for the standby: one of the tenant, one of the probe")
        standby.resume()
        case.serves("it goes on: writes are acknowledged")
        case.keeps(primary)
    pair(checks, folder, then)


def cancelled_wait(checks, folder):
    def then(checks, case, primary, standby):
        standby.pause()
        numbers = [case.number() for _ in range(4)]
        seen = []
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for _ in range(3):  # the first time and two repetitions with the same keys
                asked = [pool.submit(case.write, number) for number in numbers]
                while not all(one.done() for one in asked):
                    primary.sql(WAITS.format("pg_cancel_backend(pid)"))
                    time.sleep(0.05)
                seen += [one.result() for one in asked]
        checks.that({one[0] for one in seen} == {503}, "a wait that was cancelled is no acknowledgement, nor is a repetition's",
                    [one[:2] for one in seen if one[0] != 503])
        checks.say(f"slowest {max(one[1] for one in seen):.2f} s; the primary shows {len(shared.items(primary))} rows, "
                   f"{len(case.acknowledged)} acknowledged; a 503 says: {seen[0][2]}")
        primary.kill()
        standby.resume()
        standby.promote()
        lost, twice = integrity.compare(shared.items(standby), case.acknowledged)
        checks.that(not lost and not twice, f"after the promotion: {len(case.acknowledged)} acknowledged, 0 lost, 0 twice", (lost, twice))
        standby.set("synchronous_standby_names", "")
        os.makedirs(os.path.join(folder, "after"))
        with Case(checks, os.path.join(folder, "after"), shared.address(standby)) as after:
            after.next = 10_000
            for number in numbers:
                wire.until(lambda n=number: after.write(n)[0] == 201, 10, 0.1)
            lost, twice = integrity.compare(shared.items(standby), case.acknowledged + numbers)
            checks.that(not lost and not twice, "their keys settle on the promoted side: once each", (lost, twice))
    pair(checks, folder, then)


CASES = {"away": away, "hangs": hangs, "read-only": read_only, "in-recovery": in_recovery, "slow": slow, "connection-limit": connection_limit,
         "password": password, "full": full, "standby-gone": standby_gone, "standby-hangs": standby_hangs, "cancelled-wait": cancelled_wait}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(CASES))
    parser.add_argument("--bars", action="store_true")
    options = parser.parse_args()
    Case.bars = options.bars
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if os.geteuid() == 0 and INSIDE not in os.environ:  # its own mounts
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    checks = Checks()
    if not shared.is_there():
        return 0
    for name, case in CASES.items():
        if options.only in (None, name):
            folder = tempfile.mkdtemp(prefix="agent-memory-away-")
            checks.chapter(name)
            try:
                case(checks, folder)
            except (Exception, SystemExit) as failure:  # counts as a failed check; the next case still runs
                checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
