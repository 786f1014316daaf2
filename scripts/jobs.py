"""Runs test programs side by side, each in its own process group and with a time limit; prints the output of a program when
it ends, counts results and records times. It knows no single test. For scripts/tiers.py."""
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JOBS = os.cpu_count() or 2
LAST_LINE = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$")
PROGRESS_S = 30
SLOW_TEST_S = 2  # the times name single tests from this duration on

LIMIT_S = 3600  # of a test program that hangs

# Of each large test program. Many, so that none comes near its time limit on a slow machine.
SHARDS = 12
# Concurrent shards of unit tests: half of their time they wait for syncs of the disk.
UNIT_LANES = 2 * JOBS + 1
# Limit of concurrent scripts over all lanes: most of them wait for a commit, a lease or a Pod.
SLOTS = threading.BoundedSemaphore(JOBS + 1)
RUNNING = set()  # process groups, for end_all
OUTPUT = threading.RLock()


def say(text):
    with OUTPUT:
        print(text, flush=True)


def end_all():
    for group in list(RUNNING):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGTERM)


def alone(argv):
    """→ the command in its own network, where no test beside it holds its ports."""
    return [sys.executable, os.path.join(ROOT, "scripts/own_network.py"), *argv]


def run(argv, timeout_s, environment=None, on_line=None):
    """Runs a command in its own process group, which is killed at the time limit → (exit code, output). `on_line` gets each
    line at once."""
    process = subprocess.Popen(argv, cwd=ROOT, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    RUNNING.add(process.pid)
    late = []

    def end():
        late.append(f"\nended after {timeout_s} s, the time limit\n")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    timer = threading.Timer(timeout_s, end)
    timer.start()
    try:
        lines = []
        for line in process.stdout:
            lines.append(line.decode(errors="replace"))
            if on_line:
                on_line(lines[-1])
        return process.wait(), "".join(lines + late)
    finally:
        timer.cancel()
        RUNNING.discard(process.pid)


def indented(text, lines=None):
    return "".join("    " + line + "\n" for line in text.rstrip("\n").split("\n")[-(lines or 0):])


class Results:
    """Counts of passed, failed and skipped tests, and times. Any thread."""

    def __init__(self):
        self.passed, self.failed, self.skipped, self.times, self.tier = 0, 0, [], [], ""
        self.started = time.monotonic()

    def add(self, what, passed, failed, skipped=(), output=""):
        with OUTPUT:
            self.passed, self.failed = self.passed + passed, self.failed + failed
            self.skipped += list(skipped)
            more = f", {len(skipped)} skipped" if skipped else ""
            print(f"{output}  {what}: {passed} passed, {failed} failed{more}", flush=True)

    def skip(self, what, why):
        with OUTPUT:
            self.skipped.append(f"{what}: {why}")
            print(f"  {what}: skipped: {why}", flush=True)

    @contextlib.contextmanager
    def timed(self, what, tier=None):
        started, tier = time.monotonic(), tier or self.tier
        try:
            yield
        finally:
            self.times.append((time.monotonic() - started, tier, what))

    def time_table(self):
        rows = sorted(self.times, reverse=True)
        total = time.monotonic() - self.started
        return "".join(f"{seconds:8.1f} s  {tier:10} {what}\n" for seconds, tier, what in rows) + (
            f"{total:8.1f} s  from the first to the last; what ran side by side is more in sum\n")


def time_left(done, all_steps, elapsed_s):
    """→ an estimate in words; steps count alike."""
    left_s = elapsed_s * (all_steps - done) / max(done, 1)
    return f"about {left_s / 60:.0f} minutes left" if left_s >= 90 else f"about {left_s:.0f} s left"


def progress(what, now=time.monotonic):
    """→ a reader of ninja's lines, "[12/224] …", that prints the count and an estimate every PROGRESS_S seconds."""
    started = last = now()

    def read(line):
        nonlocal last
        count = re.match(r"\[(\d+)/(\d+)\]", line)
        if count and now() - last >= PROGRESS_S:
            last = now()
            done, steps = int(count[1]), int(count[2])
            say(f"  {what}: {done} of {steps}, {time_left(done, steps, last - started)}")
    return read


def must(results, what, argv, timeout_s):
    """A build step: prints its output only if it fails → True if it succeeded."""
    say(f"  {what} …")
    with results.timed(what):
        code, out = run(argv, timeout_s, on_line=progress(what))
    if code:
        say(indented(out, 40))
    return code == 0


def script(results, name, argv, timeout_s, environment=None, tier=None):
    """A test program that ends with 'N passed, M failed'."""
    with SLOTS, results.timed(name, tier):
        code, out = run(argv, timeout_s, environment)
    match = LAST_LINE.search(out.rstrip().split("\n")[-1])
    passed, failed = (int(match[1]), int(match[2])) if match else (0, 0)
    skipped = [f"{name}: {match[3]} of its own"] if match and int(match[3] or 0) else []
    results.add(name, passed, failed if failed or code == 0 and match else 1, skipped, f"  {name}\n" + indented(out))


class Section:
    """Lanes of concurrent jobs; jobs that measure time or fill a disk run alone, afterwards. A job that raises, or that no
    lane ran, is a failure."""

    def __init__(self, results):
        self.results, self.threads, self.alone, self.queues = results, [], [], []

    def lanes(self, count, jobs, world=contextlib.nullcontext):
        """`jobs`: functions of the value of the context manager `world()`, which each lane enters once; None ends the lane."""
        queue = collections.deque(jobs)
        self.queues.append(queue)

        def take(here):
            while here is not None or world is contextlib.nullcontext:
                try:
                    job = queue.popleft()
                except IndexError:
                    return
                self.attempt(job, here)

        def work(_):
            with world() as here:
                take(here)
        self.threads += [threading.Thread(target=self.attempt, args=(work, None), daemon=True) for _ in range(count)]

    def attempt(self, job, here):
        try:
            job(here)
        except Exception:  # any: the tests of a thread that ends silently would not be counted
            self.results.add("a job of scripts/test", 0, 1, output=indented(traceback.format_exc()))

    def run(self):
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join()
        for job in self.alone:
            self.attempt(job, None)
        left = sum(map(len, self.queues))
        if left:
            self.results.add(f"{left} jobs had nowhere to run", 0, left)
        self.__init__(self.results)


@contextlib.contextmanager
def folder_in_memory(place="/dev/shm", least=2 << 30):
    """A folder in memory for the files of unit tests, where syncs are free, deleted at the end → its environment variable;
    {} if the machine has no such place or less than `least` bytes for it: the files are on the disk then."""
    folder = None
    with contextlib.suppress(OSError):
        if room_in_memory(place) >= least:
            folder = tempfile.mkdtemp(prefix="agent-memory-", dir=place)
    try:
        yield {"TMPDIR": folder} if folder else {}
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def room_in_memory(place):
    """→ the bytes that files in the folder may take: 0 if it is on a disk."""
    kinds = dict(line.split()[1:3] for line in pathlib.Path("/proc/mounts").read_text(encoding="utf-8").splitlines())
    if kinds.get(place) != "tmpfs":
        return 0
    volume = os.statvfs(place)
    free = re.search(r"^MemAvailable: *(\d+) kB", pathlib.Path("/proc/meminfo").read_text(encoding="utf-8"), re.M)
    return min(volume.f_bavail * volume.f_frsize, int(free[1]) << 10)


class GoogleTests:
    """Test programs of a build, each cut into concurrent shards. `environment`: additional variables of the shards. `how`: ends
    the names of a second run."""

    def __init__(self, results, preset, environment=None, how=""):
        self.results, self.preset, self.environment, self.how = results, preset, environment or {}, how
        self.folder = os.path.join(ROOT, "build", preset)
        listed = subprocess.run(["ctest", "--test-dir", self.folder, "--show-only=json-v1"], capture_output=True,
                                check=False, text=True).stdout
        self.tests = json.loads(listed)["tests"] if listed else []

    def jobs(self, only=None, tests="-*ApiServer*", skipped=""):
        """`only`: names of programs; `tests`: GoogleTest's filter; `skipped`: its additional exclusions."""
        jobs = []
        for test in self.tests:
            if not test.get("command") or only is not None and test["name"] not in only:
                continue
            shards = 1 if not test["command"][0].endswith("_test") else 2 if test["name"].startswith("lib_") else SHARDS
            counted = {"left": shards, "passed": 0, "failed": 0, "skipped": [], "out": ""}
            jobs += [(shards, lambda _, test=test, shard=shard, shards=shards, counted=counted: self.shard(
                test, shard, shards, counted, tests + (":" + skipped if skipped else ""))) for shard in range(shards)]
        return [job for _, job in sorted(jobs, key=lambda job: -job[0])]

    def whole(self, test, tests, environment, what):
        """Runs one program without shards, with an additional environment."""
        report = os.path.join(self.folder, "reports", f"{test['name']}.whole.json")
        with contextlib.suppress(FileNotFoundError):
            os.remove(report)
        with SLOTS, self.results.timed(what):
            code, out = run([test["command"][0], "--gtest_brief=1", "--gtest_filter=" + tests, "--gtest_output=json:" + report],
                            LIMIT_S, environment)
        passed, failed, skipped = gtest_counts(self.results, report, code == 0, self.preset)
        self.results.add(what, passed, failed, skipped, indented(out) if failed else "")

    def shard(self, test, shard, shards, counted, tests):
        name, properties = test["name"], {p["name"]: p["value"] for p in test.get("properties", [])}
        report = os.path.join(self.folder, "reports", f"{name}{self.how}.{shard}.json")
        with contextlib.suppress(FileNotFoundError):
            os.remove(report)
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        environment |= {**self.environment, "GTEST_OUTPUT": "json:" + report, "GTEST_FILTER": tests, "GTEST_TOTAL_SHARDS": str(shards),
                        "GTEST_SHARD_INDEX": str(shard)}
        with self.results.timed(f"{self.preset}/{name}{self.how} {shard + 1} of {shards}"):
            code, out = run(alone(test["command"]), int(properties.get("TIMEOUT", LIMIT_S)), environment)
        passed, failed, skipped = gtest_counts(self.results, report, code == 0, self.preset)
        with OUTPUT:
            counted["left"] -= 1
            counted["passed"] += passed
            counted["failed"] += failed
            counted["skipped"] += skipped
            counted["out"] += indented(out) if failed else ""
            if not counted["left"]:
                self.results.add(f"{self.preset}/{name}{self.how}", counted["passed"], counted["failed"], counted["skipped"], counted["out"])


def gtest_counts(results, report, good, where):
    """→ (passed, failed, skipped) of a test program; a crash leaves no report and is one failure."""
    if not os.path.exists(report):
        return (1, 0, []) if good else (0, 1, [])
    with open(report, encoding="utf-8") as file:
        tests = [(s["name"], t) for s in json.load(file)["testsuites"] for t in s["testsuite"]]
    for suite, test in tests:
        if float(test.get("time", "0").rstrip("s")) >= SLOW_TEST_S:
            results.times.append((float(test["time"].rstrip("s")), results.tier, f"{where}: {suite}.{test['name']}"))
    skipped = [f"{suite}.{t['name']}: by itself" for suite, t in tests if t.get("result") == "SKIPPED"]
    failed = sum(bool(t.get("failures")) for _, t in tests)
    ran = sum(t.get("result") == "COMPLETED" for _, t in tests)
    return ran - failed, max(failed, 0 if good else 1), skipped


def exit_on_terminate():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
