#!/usr/bin/env python3
"""Measures the effect of one client on all others: hostile text, a memory server that hangs, the largest bodies and
answers, a stalled reader, a check for damage beside writers, reads over many rows, and the remains of an erased memory.
Prints each figure beside its limit. Exit 1 if one is missed. Needs the release build and an idle machine.

    scripts/bench/limits.py [--rows 100000] [--only text,away,bodies,answers,log,check,reads,erase]"""
import argparse
import concurrent.futures
import glob
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import memory  # the load generator and its rows

import programs
import wire

MIB = 1 << 20
LARGE_HOOK = 78 * MIB // 10   # characters of tool output: just below a hook's limit of 8 MiB
CONTAINER_MIB = {"sidecar": 128, "server": 512}
ERASED_WITHIN_S = 60
PROJECTS = 20
LOG_MIB = 64                  # the default of --max-log
CHECK_S = 30                  # duration of the writes beside checks


def peak_mib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def timed(call):
    started = time.monotonic()
    answer = call()
    return 1e3 * (time.monotonic() - started), answer


def median_ms(call, times=9):
    return sorted(timed(call)[0] for _ in range(times))[times // 2]


class Limits(memory.Bench):
    def judge(self, what, value, bar, unit="", beside=""):
        good = value <= bar
        self.missed += not good
        print(f"{what:66s} {value:10.2f} {unit:4s} ≤ {bar:g}: {'ok' if good else 'MISSED'}  {beside}", flush=True)

    def server(self, name, *more):
        program = programs.server(self.file(name))
        program.arguments += more
        return program.start()

    def pair(self, name):
        """A memory server and a sidecar that captures every output of bash."""
        server = self.server(name)
        policy = self.file(name + ".json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "agent": "coder", "namespace": "agents",
                       "memory": {"url": "http://" + server.api, "project": "coder"},
                       "toolHooks": {"memorySaveRules": [{"name": "all", "tool": "bash", "matchOutput": "."}]}}, file)
        sidecar = programs.sidecar(self.file(name + "-agent"), policy).start()
        if not (server.ready() and sidecar.ready()):
            said = sidecar.tail()
            sidecar.kill()
            server.kill()
            raise SystemExit("not ready:\n" + said)
        return server, sidecar

    def hook(self, sidecar, output, kind="PostToolUse", session="one"):
        event = {"hook_event_name": kind, "session_id": session, "tool_name": "bash", "tool_use_id": os.urandom(8).hex(),
                 "tool_input": {"command": "make"}, "tool_response": {"stdout": output}, "prompt": output[:2000]}
        return wire.ask(sidecar.api, "POST", "/v1/hooks", event, timeout=60)

    def text(self):
        """1. The time of a hook grows linearly with its text."""
        server, sidecar = self.pair("text")
        try:
            for what, piece in (("beginnings of private keys", "-----BEGIN RSA PRIVATE KEY-----\n"), ("quotes", "\\\"'"),
                                ("names with equals signs", "password=token="), ("open brackets", "[{\"a\":")):
                small, large = (median_ms(lambda size=size: self.hook(sidecar, piece * (size // len(piece))))
                                for size in (1 * MIB, 2 * MIB))
                self.judge(f"text, {what}: 2 MiB / 1 MiB of output", large / small, 2.5, beside=f"{small:.0f} and {large:.0f} ms")
        finally:
            sidecar.kill()
            server.kill()

    def away(self):
        """2. While the memory server hangs, hooks do not wait for it, even if 32 other callers do; probes get answers."""
        server, sidecar = self.pair("away")
        try:
            alone = sorted(timed(lambda: self.hook(sidecar, "made"))[0] for _ in range(200))[197]
            os.kill(server.pid, signal.SIGSTOP)
            with concurrent.futures.ThreadPoolExecutor(32) as callers:
                asked = [callers.submit(wire.ask, sidecar.api, "GET", "/search?q=made", None, None, 60) for _ in range(32)]
                time.sleep(.3)
                tools = sorted(timed(lambda: self.hook(sidecar, "made"))[0] for _ in range(200))[197]
                prompts = [timed(lambda: self.hook(sidecar, "made", "UserPromptSubmit"))[0] for _ in range(20)]
                probes = [timed(lambda: wire.ask(sidecar.admin, "GET", "/livez", timeout=5)) for _ in range(20)]
                os.kill(server.pid, signal.SIGCONT)
                for one in asked:
                    one.result()
            self.judge("the server hangs, 32 callers wait: a tool's hook, p99", tools, alone + 25, "ms", f"before {alone:.1f}")
            self.judge("the same: a prompt's hook, the slowest", max(prompts), 300, "ms", "the recall has 250")
            self.judge("the same: /livez, the slowest", max(took for took, _ in probes), 250, "ms")
            self.judge("the same: /livez not answered", sum(answer[0] != 200 for _, answer in probes), 0)
        finally:
            os.kill(server.pid, signal.SIGCONT)
            sidecar.kill()
            server.kill()

    def bodies(self):
        """3. Eight of the largest hooks at once fit into the sidecar's container."""
        server, sidecar = self.pair("bodies")
        try:
            for number in (1, 8):
                with concurrent.futures.ThreadPoolExecutor(number) as callers:
                    answers = list(callers.map(lambda n: self.hook(sidecar, "word " * (LARGE_HOOK // 5), session=f"s{n}"),
                                               range(number)))
                taken = [answer[0] for answer in answers]
                self.judge(f"sidecar, {number} hooks of 7.8 MiB at once: VmHWM", peak_mib(sidecar.pid),
                           CONTAINER_MIB["sidecar"], "MiB", f"answers {sorted(taken)}")
            self.judge("the same: neither taken nor told to come again", sum(status not in (200, 503) for status in taken), 0)
        finally:
            sidecar.kill()
            server.kill()

    def large_rows(self, server, count):
        connection = http.client.HTTPConnection(server.api, timeout=60)
        for number in range(count):
            body = {"session_id": "large", "project": "large", "type": "note", "title": f"row {number}",
                    "content": "\U00010348" * 49_000 + str(number)}
            status, said = wire.on(connection, "POST", "/observations", body)
            if status != 201:
                raise SystemExit(f"row {number}: {status} {said}")

    def answers(self):
        """3. No list is larger than 8 MiB, even if its rows are large."""
        server = self.server("answers")
        try:
            self.large_rows(server, 1000)
            before = peak_mib(server.pid)

            def size(path):
                connection = http.client.HTTPConnection(server.api, timeout=120)
                connection.request("GET", path)
                return len(connection.getresponse().read())
            for number in (1, 3):
                with concurrent.futures.ThreadPoolExecutor(number) as callers:
                    sizes = list(callers.map(size, ["/observations/recent?project=large&limit=1000"] * number))
                self.judge(f"server, {number} lists of 1,000 rows of 196 kB: the largest answer", max(sizes) / MIB, 8.5, "MiB")
                self.judge("the same: VmHWM", peak_mib(server.pid), CONTAINER_MIB["server"], "MiB", f"before {before:.0f}")
        finally:
            server.kill()

    def files(self, name):
        return filter(os.path.isfile, glob.glob(os.path.join(self.file(name), "memory", "**", "*"), recursive=True))

    def logs_mib(self, name):
        """The largest -wal of a server's data directory, in MiB."""
        return max((os.path.getsize(path) for path in self.files(name) if path.endswith("-wal")), default=0) / MIB

    def log(self):
        """4. A stalled reader of an export does not let the WAL grow."""
        server = self.server("log")
        try:
            self.large_rows(server, 400)
            reader = socket.create_connection(server.api.rsplit(":", 1))
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.sendall(b"GET /export?format=jsonl HTTP/1.1\r\nHost: bench\r\n\r\n")
            reader.recv(1024)
            largest = 0.0
            for _ in range(8):
                self.large_rows(server, 100)
                largest = max(largest, self.logs_mib("log"))
            reader.close()
            self.judge("157 MB written beside an export that nobody reads: -wal", largest, 64, "MiB")
        finally:
            server.kill()

    def checks(self, server):
        """The number of checks for damage that ended, by outcome."""
        said = wire.ask(server.admin, "GET", "/metrics")[1]
        rows = (line.split('outcome="') for line in said.splitlines() if line.startswith("agent_memory_server_checks_total{"))
        return {row[1].split('"')[0]: int(float(row[1].split()[-1])) for row in rows}

    def check(self):
        """5. A check for damage of a large file does not let the WAL grow, even beside many writers. The server checks a
        file when it opens the file, and again after pauses of nine times the duration of a check."""
        server = self.server("check", "--check-every", "1s")
        try:
            self.many_rows(server)
            size = sum(os.path.getsize(path) for path in self.files("check") if not path.endswith(("-wal", "-shm"))) / MIB
            self.rows("more", 3000 * CHECK_S, PROJECTS)
            before, largest = self.checks(server), 0.0
            port = server.api.rsplit(":", 1)[1]
            with subprocess.Popen([self.file("http_load"), "run", port, str(memory.CLIENTS), str(CHECK_S),
                                   self.file("more")], stdout=subprocess.PIPE, text=True) as writers:
                while writers.poll() is None:
                    largest = max(largest, self.logs_mib("check"))
                    time.sleep(.02)
                wrote = json.load(writers.stdout)
            made = {name: count - before.get(name, 0) for name, count in self.checks(server).items()}
            self.judge(f"a check of {size:.0f} MiB beside {memory.CLIENTS} writers: -wal, the longest", largest, LOG_MIB, "MiB",
                       f"ended meanwhile: {made}; {wrote['per_s']:.0f} writes a second")
            self.judge("the same: no check ended as sound", made.get("sound", 0) == 0, 0)
            self.judge("the same: writes that failed", sum(wrote[key] for key in ("refused", "broken", "other")), 0)
        finally:
            server.kill()

    def many_rows(self, server):
        self.rows("many", self.options.rows, PROJECTS)
        self.load(server, memory.CLIENTS, 0, "many")

    def reads(self):
        """5. The time of a read depends on its result, not on the number of stored rows."""
        server = self.server("reads")
        try:
            self.many_rows(server)
            plain = median_ms(lambda: wire.ask(server.api, "GET", "/observations/recent?limit=20"))
            row = wire.ask(server.api, "GET", "/observations/recent?limit=1")[1][0]["id"]
            for path in ("/observations/recent?type=zzz&limit=20", f"/timeline?observation_id={row}", "/sessions/recent?limit=20",
                         "/observations/recent?project=project-1&limit=20"):
                took = median_ms(lambda path=path: wire.ask(server.api, "GET", path, timeout=60))
                status = wire.ask(server.api, "GET", path, timeout=60)[0]
                self.judge(f"GET {path.replace(str(row), 'N')} at {self.options.rows:,} rows", took, plain + 5, "ms",
                           f"{status}; recent {plain:.2f}")
            self.judge("GET /stats", median_ms(lambda: wire.ask(server.api, "GET", "/stats", timeout=60)), plain + 5, "ms")
        finally:
            server.kill()

    def erase(self):
        """9. No file contains a word any more some time after its hard delete."""
        server = self.server("erase")
        word = "zyxwvsecretword"
        try:
            self.many_rows(server)
            made = wire.ask(server.api, "POST", "/observations", {"session_id": "e", "project": "project-1", "type": "note",
                                                                  "title": word, "content": f"the {word} is {word}"})[1]
            time.sleep(2)  # the server updates the index after its answer
            status = wire.ask(server.api, "DELETE", f"/observations/{made['id']}?hard=true")[0]
            clock = programs.stopwatch()

            def left():
                found = 0
                for path in self.files("erase"):
                    with open(path, "rb") as file:
                        found += file.read().count(word.encode())
                return found
            first = left()
            wire.until(lambda: left() == 0, ERASED_WITHIN_S + 30, .25)
            self.judge(f"a hard delete among {self.options.rows:,} rows: the word is in no file after", clock(), ERASED_WITHIN_S,
                       "s", f"status {status}; {first} times at once, {left()} now")
        finally:
            server.kill()


PARTS = ("text", "away", "bodies", "answers", "log", "check", "reads", "erase")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="agent-memory-limits-")
    try:
        limits = Limits(options, folder)
        for part in options.only.split(","):
            getattr(limits, part)()
        return 1 if limits.missed else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
