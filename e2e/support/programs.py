"""Starts, watches and kills the three programs for the end-to-end tests: always on ephemeral ports, always in
the test's own folder. Not for the cluster, where Kubernetes does this."""
import json
import os
import signal
import subprocess
import time

import postgres
import wire

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
START_S = 60
# Settings for the time limits after which a program answers with less than it knows: a busy machine reaches the defaults.
PATIENT = {"agent-memory-sidecar": {"AGENT_MEMORY_RECALL_TIMEOUT": "10s"},
           "agent-memory-server": {"AGENT_MEMORY_QUERY_DEADLINE": "30s", "AGENT_MEMORY_READ_TIMEOUT": "60s"}}


def bin_folder():
    return os.environ.get("AGENT_MEMORY_BIN", os.path.join(ROOT, "build/release/bin"))


def binary(name):
    path = os.path.join(bin_folder(), name)
    if not os.path.exists(path):
        raise SystemExit(f"{path} is not there: build it with "
                         "'cmake --preset release && cmake --build --preset release', or set AGENT_MEMORY_BIN")
    return path


class Program:
    """One process. A restart keeps the ephemeral ports of the first start, like a Service. `patient`: with PATIENT."""

    def __init__(self, name, arguments, log, environment=None, wrapper=(), patient=True):
        self.name, self.arguments, self.log = name, list(arguments), log
        self.environment, self.wrapper = {**(PATIENT.get(name, {}) if patient else {}), **(environment or {})}, list(wrapper)
        self.process, self.api, self.admin = None, None, None

    def start(self):
        argv = self.wrapper + [binary(self.name)] + self.arguments
        argv += ["--admin", self.admin or "127.0.0.1:0"]
        if self.name != "agent-memory-operator":
            argv += ["--listen", self.api or "127.0.0.1:0"]
        offset = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**self.surroundings(), **self.environment})
        line = wire.until(lambda: self.listening(offset) or self.process.poll() is not None, START_S, 0.005)
        if not isinstance(line, dict):
            self.kill()
            raise SystemExit(f"{self.name} did not start (exit {self.process.poll()}):\n{self.tail()}")
        self.api, self.admin = line.get("api"), line["admin"]
        return self

    @staticmethod
    def surroundings():
        """Without what only tests read, which the programs would take for misspelt settings."""
        return {name: value for name, value in os.environ.items() if not name.startswith("AGENT_MEMORY_TEST_")}

    def listening(self, offset):
        with open(self.log, "rb") as log:
            log.seek(offset)
            for line in log:
                if b'"listening"' in line and line.endswith(b"\n"):
                    said = json.loads(line)
                    if said.get("msg") == "listening":
                        return said
        return None

    def tail(self, lines=15):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return "".join(log.readlines()[-lines:])

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """SIGKILL; returns after the end of the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self, within_s=START_S):
        """SIGTERM, and SIGKILL after `within_s` → the exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return -signal.SIGKILL

    def ready(self, within_s=START_S):
        return wire.until(lambda: wire.ask(self.admin, "GET", "/readyz")[0] == 200, within_s)


def server(folder, **more):
    """On the store that AGENT_MEMORY_TEST_STORE chooses: files, or a database for each folder."""
    os.makedirs(folder, exist_ok=True)
    store = postgres.arguments(folder) if os.environ.get("AGENT_MEMORY_TEST_STORE") == "postgres" else []
    return Program("agent-memory-server", ["--data-dir", os.path.join(folder, "memory"), *store],
                   os.path.join(folder, "server.log"), **more)


def sidecar(folder, policy, **more):
    os.makedirs(folder, exist_ok=True)
    return Program("agent-memory-sidecar", ["--policy", policy, "--data-dir", os.path.join(folder, "state")],
                   os.path.join(folder, "sidecar.log"), **more)


def aegis_address(server):
    """The address of --aegis-listen of a server that runs."""
    with open(server.log, encoding="utf-8") as log:
        said = [json.loads(line) for line in log if "AEGIS memory service listens" in line]
    return said[-1]["api"]


def render(manifest, folder, url=None, more=()):
    """Renders the objects of an Agent and its policy.json into a folder, with the operator's code. `more`: files with
    other objects of the cluster."""
    argv = [binary("agent-memory-operator"), "render", "--namespace", "agents", "-o", folder]
    for file in (manifest, *more):
        argv += ["-f", file]
    done = subprocess.run(argv + (["--memory-url", url] if url else []), capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise SystemExit(f"render of {manifest} failed ({done.returncode}):\n{done.stderr or done.stdout}")


def resident(pid):
    """→ (RSS, RssAnon) in KiB, or None after the end of the process."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            fields = dict(line.split(":", 1) for line in status)
        return tuple(int(fields[name].split()[0]) for name in ("VmRSS", "RssAnon"))
    except (OSError, KeyError):
        return None


def stopwatch():
    started = time.monotonic()
    return lambda: time.monotonic() - started
