#!/usr/bin/env python3
"""Tests that jobs.py counts failures: a job that did not run, or did not end well, must not look green; and that tiers.py
builds sources that changed during a build again. The last line is
'N passed, M failed'."""
import contextlib
import io
import json
import os
import socket
import sys
import tempfile

import jobs
from jobs import Results, Section, alone, folder_in_memory, gtest_counts, run, script
from tiers import touch_edited

def failures(work):
    """→ the number of failures of `work(results)`, whose output is discarded."""
    results = Results()
    with contextlib.redirect_stdout(io.StringIO()):
        work(results)
    return results.failed


def lanes(work_of_lanes, **more):
    def work(results):
        section = Section(results)
        section.lanes(2, work_of_lanes, **more)
        section.run()
    return failures(work)


def program(text):
    return failures(lambda results: script(results, "p", [sys.executable, "-c", text], 20))


def report(tests, good):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        if tests is not None:
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"testsuites": [{"name": "S", "testsuite": tests}]}, file)
        return gtest_counts(Results(), path, good, "test")[:2]


@contextlib.contextmanager
def nowhere():
    yield None


@contextlib.contextmanager
def broken():
    raise OSError("no API server")
    yield


def bad(_):
    raise KeyError("a report without a field")


def leaves_nothing():
    """Also true if there is no folder in memory."""
    folder = None
    try:
        with folder_in_memory(least=1) as environment:
            folder = environment.get("TMPDIR")
            if folder:
                os.mkdir(os.path.join(folder, "left"))
            raise OSError("the tests ended early")
    except OSError as error:
        return "early" in str(error) and not (folder and os.path.exists(folder))
    return False


def place_for_tests(**asked):
    with folder_in_memory(**asked) as environment:
        return environment


def counts_printed(every_s):
    """→ what a build of four steps, one in 20 s, prints of its progress."""
    times = iter(range(0, 1000, 10))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        jobs.PROGRESS_S, before = every_s, jobs.PROGRESS_S
        try:
            read = jobs.progress("b", now=lambda: next(times))
            for line in ("[1/4] a\n", "note\n", "[2/4] b\n", "[3/4] c\n", "[4/4] d\n"):
                read(line)
        finally:
            jobs.PROGRESS_S = before
    return printed.getvalue().splitlines()


def touches_edited():
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "lib"))
        for name, time_s in (("before.cc", 100), ("edited.cc", 300), ("edited.md", 300)):
            path = os.path.join(root, "lib", name)
            with open(path, "w", encoding="utf-8"):
                os.utime(path, (time_s, time_s))
        touched = touch_edited(200, root)
        return touched == 1 and os.path.getmtime(os.path.join(root, "lib", "edited.cc")) > 300


def ports_are_its_own():
    """Also true of a user that may not make a network."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        code, out = run(alone([sys.executable, "-c", f"""
import socket
socket.create_server(("127.0.0.1", {held.getsockname()[1]}))
socket.create_server(("::1", 0), family=socket.AF_INET6)"""]), 20)
    if code and sys.platform == "linux" and os.getuid() == 0:
        print(out)
        return False
    return True


PASSED = {"name": "a", "result": "COMPLETED"}
CHECKS = (
    ("jobs that end are no failure", lambda: lanes([lambda _: None] * 3) == 0),
    ("a job that raises is one", lambda: lanes([lambda _: None, bad]) == 1),
    ("the jobs after it run", lambda: lanes([bad, bad, bad]) == 3),
    ("jobs of lanes without a world are failures", lambda: lanes([bad, bad], world=nowhere) == 2),
    ("so are lanes whose world raises, and their jobs", lambda: lanes([bad], world=broken) == 3),
    ("a program that ends well is none", lambda: program("print('2 passed, 0 failed')") == 0),
    ("a program that says it failed is one", lambda: program("print('2 passed, 3 failed')") == 3),
    ("a program without a last line is one", lambda: program("print('hello')") == 1),
    ("a program that says it passed and ends with 1 is one", lambda: program("print('2 passed, 0 failed'); exit(1)") == 1),
    ("a crash after all tests passed is one", lambda: report([PASSED], False) == (1, 1)),
    ("a long build prints its progress and an estimate", lambda: counts_printed(25) == [
        "  b: 3 of 4, about 13 s left"]),
    ("a short one does not", lambda: counts_printed(600) == []),
    ("a long time is in minutes", lambda: jobs.time_left(10, 100, 60) == "about 9 minutes left"),
    ("a source edited during a build is touched", touches_edited),
    ("a test's ports are its own", ports_are_its_own),
    ("a crash that left no report is one", lambda: report(None, False) == (0, 1)),
    ("a folder in memory goes with what tests left in it", leaves_nothing),
    ("without room in memory there is none", lambda: place_for_tests(least=1 << 62) == {}),
    ("a folder of a disk is none", lambda: place_for_tests(place=os.path.dirname(os.path.abspath(__file__)), least=1) == {}),
    ("a test with failures is one", lambda: report([{**PASSED, "failures": [{}]}], False) == (0, 1)))


def main():
    passed = 0
    for name, check in CHECKS:
        good = check()
        passed += good
        print(f"     {'ok  ' if good else 'FAIL'} {name}")
    print(f"{passed} passed, {len(CHECKS) - passed} failed")
    return passed != len(CHECKS)


if __name__ == "__main__":
    sys.exit(main())
