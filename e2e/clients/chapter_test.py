#!/usr/bin/env python3
"""The client of the chapter (e2e/clients/chapter, in Go) against the built server, and the commands of
docs/coming-from/chapter.md.

    chapter_test.py       the programs from build/release/bin or $AGENT_MEMORY_BIN; needs Go

The last line is 'N passed, M failed', with ', 1 skipped' without Go."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE)]

import api_examples  # noqa: E402
import programs  # noqa: E402
import targets  # noqa: E402
from checks import Checks  # noqa: E402

PAGE = os.path.join(programs.ROOT, "docs/coming-from/chapter.md")


def built(folder):
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not os.path.exists(go):
        return None
    program = os.path.join(folder, "chapter")
    done = subprocess.run([go, "build", "-trimpath", "-o", program, "."], cwd=HERE / "chapter", capture_output=True, text=True, timeout=900, check=False,
                          env={**os.environ, "CGO_ENABLED": "0", "GOPROXY": "off", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local"})
    if done.returncode:
        raise SystemExit(f"e2e/clients/chapter does not build: {done.stderr.strip()[-500:]}")
    return program


def run(c, program, server, part, *more):
    done = subprocess.run([program, f"http://{server.api}", part, *more], capture_output=True, text=True, timeout=300, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        c.that(line["ok"], line["what"])
    c.that(done.returncode == 0 and lines, f"{part} ran to its end", done.stderr[-500:])


def told(agent, what, until=None):
    """Reads the lines of an agent up to one with the key `what` (and the value `until`, if set). → all lines read"""
    lines = []
    for line in agent.stdout:
        lines.append(json.loads(line))
        if what in lines[-1] and until in (None, lines[-1][what]):
            return lines
    return lines


def resume(c, program, folder, sidecar):
    """Kills an agent of 60 steps at step 40, with the sidecar that stores its checkpoints, and again at step 50."""
    world = pathlib.Path(folder, "world")
    agents = []

    def start(*more):
        agents.append(subprocess.Popen([program, f"http://{sidecar.api}", "agent", world, *more], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True))
        return agents[-1]

    try:
        sidecar.start()
        c.equal(told(start("40"), "step", 40)[-1], {"step": 40}, "the agent is at step 40 of 60")
        sidecar.kill()
        agents[-1].kill()
        sidecar.start()
        lines = told(start(), "step", 50)
        agents[-1].kill()
        sidecar.kill()
        c.equal(lines[:3], [{"resumed": 40}, {"messages": 81}, {"step": 41}],
                "SIGKILL of agent and sidecar: a new process goes on at step 40, with its messages")
        sidecar.start()
        lines = told(start(), "memory")
        c.that(lines[0].get("resumed", 0) >= 50, "SIGKILL amid its work: no acknowledged step is lost", lines[:2])
        c.equal(lines[-1], {"memory": 60}, "the agent ends, with its memory")
        done = [int(line) for line in world.read_text(encoding="utf-8").split()]
        again = {step for step in done if done.count(step) > 1}
        c.that(sorted(set(done)) == list(range(1, 61)) and len(again) <= 1 and min(again, default=60) > 50,
               "each step was done; at most the one in flight was done again", done)
    finally:
        for agent in agents:
            agent.kill()
            agent.communicate()
        sidecar.kill()


def main():
    c = Checks()
    folder = tempfile.mkdtemp(prefix="chapter-")
    program = built(folder)
    server = programs.server(os.path.join(folder, "server"))
    grants = pathlib.Path(folder, "share.json")
    grants.write_text(json.dumps({"planner": [{"agents": ["worker"]}]}), encoding="utf-8")
    server.arguments.append(f"--share-file={grants}")
    try:
        server.start()
        if program:
            c.chapter("Store, Retrieve, Forget, Update")
            run(c, program, server, "operations")
            c.chapter("Shared memory between agents")
            run(c, program, server, "shared")
            c.chapter("Exercise 1: the memory persists between restarts (SIGKILL)")
            server.kill()
            server.start()
            run(c, program, server, "exercise1")
    finally:
        server.kill()
    if program:
        c.chapter("Checkpoint and resume: SIGKILL at step 40 of 60")
        resume(c, program, folder, targets.Sidecar(folder).program())  # its memory server does not run
    c.chapter("docs/coming-from/chapter.md")
    fresh = programs.server(os.path.join(folder, "fresh"))
    try:
        fresh.start()
        with open(PAGE, encoding="utf-8") as page:
            found = api_examples.examples(page.read())
        c.that(found, "the page has examples")
        for command, status, text in found:
            api_examples.judge(c, command, status, text, fresh.api, folder)
    finally:
        fresh.kill()
    shutil.rmtree(folder, ignore_errors=True)
    if program:
        return c.end()
    print("skipped the client: there is no Go")
    print(f"{c.passed} passed, {c.failed} failed, 1 skipped")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
