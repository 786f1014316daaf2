#!/usr/bin/env python3
"""Runs the curl examples of PAGES in order, each page against a fresh server, and compares each answer with the comment
below the example: the status, and the JSON except times and ids of traces. An example without a comment must answer 2xx.
Ignores lines other than curl.

    api_examples.py       the program from build/release/bin or $AGENT_MEMORY_BIN

The last line is 'N passed, M failed'."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
from checks import Checks  # noqa: E402

PAGES = ("docs/memory-api.md", *(f"docs/coming-from/{program}.md" for program in (
    "aegis", "mem0", "engram", "claude", "gemini", "mcp-memory")))
ADDRESS = "localhost:7437"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
TRACE = re.compile(r"mt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Replaces curl in the shell: writes the head of the answer to a file.
CURL = 'curl() { command curl -sS --max-time 60 -D "$HEAD" "$@"; }; '


def examples(page):
    """→ [(command, status or None, JSON text or None)] in the page's order."""
    found, lines = [], []
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.S | re.M):
        for line in block.splitlines():
            answer = re.fullmatch(r"# (\d{3})(?: (.*))?", line)
            if answer and not lines and found:
                found[-1] = (found[-1][0], int(answer[1]), answer[2])
            elif lines or line.startswith("curl "):
                lines.append(line)
                if whole("\n".join(lines)):
                    found.append(("\n".join(lines), None, None))
                    lines = []
    if lines:
        raise SystemExit(f"an example does not end: {lines[0]}")
    return found


def whole(command):
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False  # inside quotes
    return not command.endswith("\\")


def run(command, address, folder):
    """→ (status, body)"""
    head = os.path.join(folder, "head")
    with open(head, "w", encoding="utf-8"):
        pass
    done = subprocess.run(["bash", "-c", CURL + command.replace(ADDRESS, address)], cwd=folder, capture_output=True,
                          text=True, timeout=120, check=False, stdin=subprocess.DEVNULL, env={**os.environ, "HEAD": head})
    with open(head, encoding="utf-8", errors="replace") as file:
        statuses = re.findall(r"^HTTP/\S+ (\d{3})", file.read(), re.M)
    return int(statuses[-1]) if statuses else 0, done.stdout or done.stderr


def alike(seen, wanted):
    """Compares JSON values; all times are equal, and all ids of traces."""
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and seen.keys() == wanted.keys() and all(
            alike(seen[name], wanted[name]) for name in wanted)
    if isinstance(wanted, list):
        return isinstance(seen, list) and len(seen) == len(wanted) and all(map(alike, seen, wanted))
    for any_of in (TIME, TRACE):
        if isinstance(wanted, str) and any_of.fullmatch(wanted):
            return isinstance(seen, str) and bool(any_of.fullmatch(seen))
    return seen == wanted and type(seen) is type(wanted)


def judge(checks, command, status, text, address, folder):
    title = command.splitlines()[0][:100]
    seen, body = run(command, address, folder)
    if not checks.that(seen == status if status else 200 <= seen < 300, f"{seen} {title}", body) or not text:
        return
    try:
        checks.that(alike(json.loads(body), json.loads(text)), "answers as the page says", f"{body} for {text}")
    except ValueError as failure:
        checks.that(False, f"answers as the page says: {failure}", f"{body} for {text}")


def judge_page(checks, page):
    checks.chapter(page)
    folder = tempfile.mkdtemp(prefix="agent-memory-examples-")
    server = programs.server(folder)
    try:
        address = server.start().api
        with open(os.path.join(programs.ROOT, page), encoding="utf-8") as text:
            for example in examples(text.read()):
                judge(checks, *example, address, folder)
    except (Exception, SystemExit) as failure:  # counts as a failed check
        checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    checks = Checks()
    for page in PAGES:
        judge_page(checks, page)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
