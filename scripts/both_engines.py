"""The tests of the memory server's routes again, on PostgreSQL (memory/chosen_store_fixture.h)."""
import os
import re

from jobs import GoogleTests, ROOT

FIXTURES = re.compile(r'#include "memory/[\w/]*(api|route|routes|agentos)_fixture\.h"')
SUITE = re.compile(r"^TEST_F\((\w+),", re.MULTILINE)


def suites():
    """→ GoogleTest's filter of the suites whose fixtures start a server on the chosen store."""
    names = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "memory")):
        for path in (os.path.join(folder, name) for name in files if name.endswith("_test.cc")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if FIXTURES.search(text):
                names.update(SUITE.findall(text))
    return ":".join(f"{name}.*" for name in sorted(names))


def jobs(results, preset, server):
    """`server`: environment, with the variable of a server if there is one."""
    again = GoogleTests(results, preset, server | {"AGENT_MEMORY_TEST_STORE": "postgres"}, " on PostgreSQL")
    wanted = "AGENT_MEMORY_TEST_POSTGRES" in server and os.environ.get("AGENT_MEMORY_TEST_BOTH_ENGINES")
    return again.jobs(["memory"], suites()) if wanted else []
