#!/usr/bin/env python3
"""The TypeScript client of AgentOS' memory tools (e2e/clients/agentos) against the built server, and the commands of
docs/coming-from/agentos.md. Each check of the client is a "Behaviour" bullet of AgentOS' page "Memory Operations".

    agentos_test.py       the programs from build/release/bin or $AGENT_MEMORY_BIN; needs node, and the compiler from npm

The last line is 'N passed, M failed', with ', 1 skipped' without npm or its registry."""
import hashlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE)]

import api_examples  # noqa: E402
import programs  # noqa: E402
import targets  # noqa: E402
from checks import Checks  # noqa: E402

PAGE = os.path.join(programs.ROOT, "docs/coming-from/agentos.md")
SOURCES = HERE / "agentos"
INSTALL_S, COMPILE_S, CLIENT_S = 1800, 600, 600
DAY_MS = 86_400_000
OLDER_DAYS = 31  # then an episodic trace without retrievals has 1 % of its strength; compaction begins after 30


def compiler():
    """→ (path of tsc, None) or (None, the reason); cached between runs in a folder named by a hash of the pins."""
    pins = hashlib.sha256((SOURCES / "package.json").read_bytes()).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(cache, "agent-memory", "agentos-client-" + pins)
    found = folder / "node_modules/typescript/bin/tsc"
    if not shutil.which("node") or not shutil.which("npm"):
        return None, "node and npm are not installed (scripts/deps build)"
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCES / "package.json", folder)
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, capture_output=True,
                              text=True, timeout=INSTALL_S, check=False)
        if done.returncode:
            return None, f"npm install failed: {done.stderr.strip()[-200:]} (is the registry in reach?)"
    return found, None


def built(c, tsc, folder):
    """Checks the types, strictly, and writes the JavaScript. → the program"""
    done = subprocess.run(["node", tsc, "--project", SOURCES, "--outDir", folder], capture_output=True, text=True,
                          timeout=COMPILE_S, check=False)
    c.that(done.returncode == 0, "the client compiles, with strict types", done.stdout[-1500:])
    pathlib.Path(folder, "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return os.path.join(folder, "checks.js")


def run(c, program, server, part, token=""):
    done = subprocess.run(["node", program, f"http://{server.api}", part], capture_output=True, text=True, timeout=CLIENT_S,
                          check=False, env={**os.environ, "MEMORY_TOKEN": token})
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        c.that(line["ok"], line["what"], json.dumps(line.get("seen")))
    c.that(done.returncode == 0 and lines, f"{part} ran to its end", done.stderr[-500:])


def make_older(server, folder):
    """Stops the server, moves all times of its traces back by OLDER_DAYS, and starts it again → the number of traces."""
    server.stop()
    rows = 0
    for file in targets.database_files(os.path.join(folder, "server/memory")):
        if not targets.has_table(file, "traces"):
            continue
        with sqlite3.connect(file) as database:
            rows += database.execute("UPDATE traces SET accessed_ms = accessed_ms - ?", (OLDER_DAYS * DAY_MS,)).rowcount
            database.execute("UPDATE observations SET created_ms = created_ms - ?1, updated_ms = updated_ms - ?1 "
                             "WHERE slot IN (SELECT slot FROM traces)", (OLDER_DAYS * DAY_MS,))
        database.close()
    server.start()
    return rows


def client(c, program, folder):
    server = programs.server(os.path.join(folder, "server"))
    try:
        server.start()
        c.chapter("The tools")
        run(c, program, server, "tools")
        c.chapter("Auto-ingest")
        run(c, program, server, "turns")
        c.chapter(f"Consolidation, {OLDER_DAYS} days later")
        run(c, program, server, "young")
        c.that(make_older(server, folder) > 0, f"the traces are {OLDER_DAYS} days older")
        run(c, program, server, "aged")
    finally:
        server.kill()


def page(c, folder):
    c.chapter(os.path.relpath(PAGE, programs.ROOT))
    server = programs.server(os.path.join(folder, "page"))
    try:
        server.start()
        with open(PAGE, encoding="utf-8") as text:
            found = api_examples.examples(text.read())
        c.that(found, "the page has examples")
        for example in found:
            api_examples.judge(c, *example, server.api, folder)
    finally:
        server.kill()


def main():
    c = Checks()
    tsc, why = compiler()
    with tempfile.TemporaryDirectory(prefix="agent-memory-agentos-") as folder:
        if tsc:
            client(c, built(c, tsc, os.path.join(folder, "built")), folder)
        page(c, folder)
    if tsc:
        return c.end()
    print(f"skipped the client: {why}")
    print(f"{c.passed} passed, {c.failed} failed, 1 skipped")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
