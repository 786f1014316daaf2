#!/usr/bin/env python3
"""The Python client of an AEGIS memory service (aegis_client.py: httpx, pydantic) against the real server, on its API port
and on the port of AEGIS, and against a real sidecar; and the environment variables of an AEGIS deployment.

    aegis_test.py       the programs from build/release/bin or $AGENT_MEMORY_BIN; httpx and pydantic from PyPI

The last line is 'N passed, M failed'."""
import json
import os
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "support")]

import programs  # noqa: E402
import pypi  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

PINS = ("httpx==0.28.1", "pydantic==2.14.4")
CLIENT_S = 600


def run_client(checks, client, what, url, *more, token=""):
    done = subprocess.run([client, os.path.join(HERE, "aegis_client.py"), url, *more], capture_output=True, text=True,
                          timeout=CLIENT_S, check=False, env={**os.environ, "MEMORY_TOKEN": token})
    wrong = [line for line in done.stdout.splitlines() if line.startswith("FAIL")] or [done.stderr[-600:]]
    last = (done.stdout.strip().splitlines() or ["nothing"])[-1]
    checks.that(done.returncode == 0, f"{what}: {last}", wrong)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return str(taken.getsockname()[1])


def environment(checks, folder):
    checks.chapter("what an AEGIS deployment has in its environment is read as written")
    settings = {"MEMORY_HOST": "127.0.0.1", "MEMORY_PORT": free_port(), "WORKING_MEMORY_TTL": "3600",
                "REDIS_URL": "redis://:word@localhost:6379", "DATABASE_URL": "postgresql://aegis:word@localhost/aegis",
                "EMBEDDING_MODEL": "text-embedding-3-small", "OPENAI_API_KEY": ""}
    program = programs.server(os.path.join(folder, "environment"), environment=settings).start()
    try:
        address = f"127.0.0.1:{settings['MEMORY_PORT']}"
        checks.equal(programs.aegis_address(program), address, "it listens on MEMORY_HOST:MEMORY_PORT")
        status, said = wire.ask(address, "PUT", "/working-memory/c", {"fields": {"a": 1}})
        checks.equal((status, said["ttl_seconds"]), (200, 3600), "WORKING_MEMORY_TTL is the default life")
        checks.equal(wire.ask(address, "GET", "/stats")[0], 404, "other routes are not on that port")
        with open(program.log, encoding="utf-8") as log:
            text = log.read()
        checks.equal(text.count("REDIS_URL, DATABASE_URL"), 1, "Redis and database: one warning")
        checks.that("word@" not in text, "without their passwords")
    finally:
        program.kill()
    for name, value in (("MEMORY_PORT", "http"), ("WORKING_MEMORY_TTL", "1h"), ("MEMORY_HOST", "0.0.0.0")):
        done = subprocess.run([programs.binary("agent-memory-server"), "--check-config"], capture_output=True, text=True,
                              env={**os.environ, name: value}, check=False)
        checks.that(done.returncode == 64 and name in done.stdout + done.stderr, f"{name}={value} is refused by name",
                    (done.returncode, done.stdout + done.stderr))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="agent-memory-aegis-") as folder:
        installed = pypi.folder_of(checks, "aegis-client", PINS)
        client = installed and os.path.join(installed, "python")
        target = targets.Sidecar(folder)
        server = programs.server(os.path.join(folder, "server"))
        server.arguments += ["--aegis-listen", "127.0.0.1:0"]
        sidecar = target.program()
        try:
            server.start(), sidecar.start()
            if client:
                checks.chapter("the client of the documents")
                run_client(checks, client, "server, AEGIS port", "http://" + programs.aegis_address(server))
                run_client(checks, client, "server, API port", "http://" + server.api)
                run_client(checks, client, "sidecar, its server away", "http://" + sidecar.api, "--without-episodes")
        finally:
            server.kill()
            sidecar.kill()
        environment(checks, folder)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
