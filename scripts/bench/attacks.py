#!/usr/bin/env python3
"""Attacks the memory server as one tenant and measures what it costs: its own memory, in a cgroup with the limit of the
container where one can be made, and the answers to another tenant. Prints each figure beside its limit. Exit 1 if one
is missed. Needs the release build and an idle machine.

    scripts/bench/attacks.py [--only import,items,similar,head,rules,edges,expressions] [--mib 512]

import       one trace with 14 MiB of metadata, whose parts are small objects
items        100 items of 63 KB of small objects, read by two clients in one answer each
similar      40,000 similar texts, then a reflect that changes nothing
head         an endpoint of vectors whose answer's first line has no end
rules        70 requests with 32 patterns over 42 KB, whose clients leave
edges        merges of a trace to which 20,000 others are linked
expressions  8 clients with FTS5 expressions beside the same tenant's prompts"""
import argparse
import concurrent.futures
import contextlib
import http.client
import http.server
import json
import os
import socket
import sys
import tempfile
import threading
import time

import limits
import programs
import tenants
import wire

MIB = 1 << 20
CGROUPS = ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")  # version 1, version 2
LIMITS = ("memory.limit_in_bytes", "memory.max")
INTO = 'echo $$ > "$0/cgroup.procs" && exec "$@"'


def cgroup(mib):
    """A memory cgroup with a limit → its folder, or None where this process may not make one."""
    for root, name in zip(CGROUPS, LIMITS):
        folder = os.path.join(root, f"agent-memory-attacks-{os.getpid()}")
        try:
            os.mkdir(folder)
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(str(mib * MIB))
            return folder
        except OSError:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
    return None


class EndlessHead(threading.Thread):
    """An endpoint that answers each connection with a status line without end."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.sent = self.listener.getsockname()[1], 0

    def run(self):
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.feed, args=(peer,), daemon=True).start()

    def feed(self, peer):
        with contextlib.suppress(OSError), peer:
            peer.sendall(b"HTTP/1.1 200 ")
            while True:
                self.sent += peer.send(b"x" * 65536)


class Attacks:
    def __init__(self, folder, mib):
        self.folder, self.mib, self.missed = folder, mib, 0
        self.reviews = http.server.ThreadingHTTPServer(("127.0.0.1", 0), tenants.Reviews)
        threading.Thread(target=self.reviews.serve_forever, daemon=True).start()
        self.cgroup = cgroup(mib)
        print(f"memory: {'a cgroup of' if self.cgroup else 'no cgroup can be made here; VmHWM at most'} {mib} MiB")

    judge = limits.Limits.judge

    @contextlib.contextmanager
    def server(self, name, *more):
        server = programs.server(os.path.join(self.folder, name))
        if self.cgroup:
            server.wrapper = ["sh", "-c", INTO, self.cgroup]
        server.arguments += ["--auth", "kubernetes", "--audience", tenants.AUDIENCE, "--kubeconfig",
                             tenants.kubeconfig(self.folder, self.reviews.server_port), *more]
        server.start()
        try:
            yield server
            self.judge(f"{name}: the server ended", not server.running, 0)
            if server.running:
                self.judge(f"{name}: VmHWM", limits.peak_mib(server.pid), self.mib, "MiB")
        finally:
            server.kill()

    @staticmethod
    def head(namespace):
        return {"Authorization": f"Bearer {tenants.token(namespace)}"}

    def ask(self, server, method, path, body=None, namespace="mallory", timeout=120):
        return wire.ask(server.api, method, path, body, self.head(namespace), timeout)

    def must(self, *arguments, **more):
        status, said = self.ask(*arguments, **more)
        if not 200 <= status < 300:
            raise SystemExit(f"{arguments[1:3]}: {status} {str(said)[:300]}")
        return said

    def send(self, server, path, text, namespace="mallory"):
        connection = http.client.HTTPConnection(server.api, timeout=300)
        try:
            connection.request("POST", path, text.encode(), {**self.head(namespace), "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, wire.decode(answer.read())
        except (OSError, http.client.HTTPException) as failure:
            return 0, str(failure)
        finally:
            connection.close()

    def brain(self, server, traces, edges):
        status, said = self.send(server, "/import?format=agentos-json&project=p", json.dumps({"traces": traces, "edges": edges}))
        if status != 200 or said.get("errors"):
            raise SystemExit(f"import: {status} {str(said)[:300]}")

    def prompts(self, server, seconds, namespace="innocent"):
        """Asks for the context of a prompt again and again → the times in ms, in order; and how many failed."""
        took, failed, end = [], 0, time.monotonic() + seconds
        connection = http.client.HTTPConnection(server.api, timeout=60)
        while time.monotonic() < end:
            started = time.monotonic()
            status, _ = wire.on(connection, "GET", "/context?project=p&query=which+row+is+it", None, self.head(namespace))
            took.append(1e3 * (time.monotonic() - started))
            failed += status != 200
        return sorted(took), failed

    def innocent(self, server, namespace="innocent"):
        tenants.Weights(server, 1).fill(namespace, 300)
        return self.prompts(server, 2, namespace)[0]

    # The attacks

    def metadata(self):
        trace = json.dumps({"content": "a", "metadata": {"x": "@"}}).replace('"@"', "[" + ",".join(["{}"] * (5 * MIB - 200)) + "]")
        with self.server("import") as server:
            status, said = self.send(server, "/import?format=agentos-json", '{"traces":[' + trace + "]}")
            self.judge("import: 5xx other than 503 and 507, or no answer", status in (0, 500, 502), 0, beside=f"{status} {str(said)[:80]}")

    def items(self):
        value = "[" + ",".join(["{}"] * 21_000) + "]"
        with self.server("items") as server:
            for number in range(100):
                connection = http.client.HTTPConnection(server.api, timeout=60)
                connection.request("PUT", f"/items/k{number}?project=p", '{"value":' + value + "}",
                                   {**self.head("mallory"), "Content-Type": "application/json"})
                status = connection.getresponse().status
                if status not in (200, 201):
                    raise SystemExit(f"PUT of an item: {status}")
            with concurrent.futures.ThreadPoolExecutor(2) as callers:
                answers = list(callers.map(lambda _: self.ask(server, "GET", "/items?project=p&limit=100")[0], range(2)))
            self.judge("items: not answered", sum(status not in (200, 503) for status in answers), 0, beside=f"{answers}")

    def similar(self):
        with self.server("similar") as server:
            traces = [{"content": f"the deployment of the gateway failed in region {number % 7} with code {number}",
                       "type": "episodic"} for number in range(40_000)]
            for at in range(0, len(traces), 10_000):
                self.brain(server, traces[at:at + 10_000], [])
            took, answer = limits.timed(lambda: self.ask(server, "POST", "/traces/reflect?project=p", {"dryRun": True}, timeout=300))
            self.judge("similar: reflect not answered", answer[0] not in (200, 202, 503), 0, beside=f"{answer[0]} in {took / 1e3:.1f} s")

    def endless(self):
        endpoint = EndlessHead()
        endpoint.start()
        with self.server("head", "--embedding-url", f"http://127.0.0.1:{endpoint.port}/v1") as server:
            self.innocent(server)
            before = limits.peak_mib(server.pid)
            took, failed = self.prompts(server, 6)
            self.judge("head: prompts that failed", failed, 0, beside=f"{endpoint.sent / MIB:.0f} MiB sent")
            self.judge("head: p99 of prompts", took[len(took) * 99 // 100], 400, "ms", "the vector's deadline is 150")
            self.judge("head: VmHWM more than before", limits.peak_mib(server.pid) - before, 32, "MiB")

    def rules(self):
        rules = [{"match": "(?:(?:a?){20}){20}" + "x" * number, "minLength": 1} for number in range(1, 33)]
        body = {"user_input": "a" * 42_000, "answer": "b", "rules": rules}
        with self.server("rules") as server:
            alone = self.innocent(server)
            text = json.dumps(body)
            raw = (f"POST /items/consider?project=p HTTP/1.1\r\nHost: b\r\nAuthorization: {self.head('mallory')['Authorization']}\r\n"
                   f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}").encode()
            peers = []
            for _ in range(70):
                peers.append(socket.create_connection(server.api.rsplit(":", 1)))
                peers[-1].sendall(raw)
            beside, failed = self.prompts(server, 4)
            writes = limits.timed(lambda: self.ask(server, "POST", "/observations", {
                "session_id": "s", "project": "p", "type": "note", "title": "t", "content": "a write beside"}, "innocent"))
            for peer in peers:
                peer.close()
            p99 = [took[len(took) * 99 // 100] for took in (alone, beside)]
            self.judge("rules: prompts of others that failed", failed, 0)
            self.judge("rules: p99 of others' prompts", p99[1], max(4 * p99[0], 50), "ms", f"alone {p99[0]:.1f}")
            self.judge("rules: a write of others", writes[0], 1000, "ms", f"{writes[1][0]}")
            started = time.monotonic()
            code = server.stop(30)
            self.judge("rules: SIGTERM to the end", time.monotonic() - started, 10, "s", f"exit {code}")
            server.start()

    def edges(self):
        with self.server("edges") as server:
            alone = self.innocent(server)
            hub = self.must(server, "POST", "/traces?project=p", {"content": "the hub"})["traceId"]
            twins = [self.must(server, "POST", "/traces?project=p", {"content": f"the twin {word}"})["traceId"]
                     for word in ("north", "south", "east", "west", "inner", "outer")]
            for at in range(0, 20_000, 5_000):
                numbers = range(at, at + 5_000)
                self.brain(server, [{"id": f"mt_s{number}", "content": f"spoke {number} of the wheel", "type": "episodic"}
                                    for number in numbers],
                           [{"from": f"mt_s{number}", "to": hub, "weight": .5, "kind": "related"} for number in numbers])
            with concurrent.futures.ThreadPoolExecutor(1) as other:
                beside = other.submit(self.prompts, server, 4)
                slowest = 0
                for twin in twins:
                    took, answer = limits.timed(lambda twin=twin: self.ask(server, "POST", "/traces/merge?project=p", {"traceIds": [hub, twin]}))
                    slowest = max(slowest, took)
                    if answer[0] != 200:
                        raise SystemExit(f"merge: {answer}")
                    hub = answer[1]["mergedTraceId"]
                beside, failed = beside.result()
            self.judge("edges: the slowest merge", slowest, 100, "ms", f"{str(answer)[:80]}")
            self.judge("edges: prompts of others that failed", failed, 0)
            self.judge("edges: p50 of others' prompts / alone", beside[len(beside) // 2] / alone[len(alone) // 2], 2)

    def expressions(self):
        with self.server("expressions") as server:
            for part in range(10):
                tenants.Weights(server, 1).fill("innocent", 2000)
            alone = self.prompts(server, 3)[0]
            stop = time.monotonic() + 5
            expression = wire.quote(" OR ".join(f"{letter}*" for letter in "abcdefghijklmnopqrstuvwxyz"))

            def search(_):
                while time.monotonic() < stop:
                    self.ask(server, "GET", f"/search?syntax=fts5&project=p&limit=100&q={expression}", None, "innocent")
            with concurrent.futures.ThreadPoolExecutor(8) as callers:
                attack = [callers.submit(search, n) for n in range(8)]
                beside, failed = self.prompts(server, 4)
                for one in attack:
                    one.result()
            p99 = [took[len(took) * 99 // 100] for took in (alone, beside)]
            self.judge("expressions: prompts that failed", failed, 0)
            self.judge("expressions: p99 of prompts", p99[1], max(5 * p99[0], 100), "ms", f"alone {p99[0]:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="import,items,similar,head,rules,edges,expressions")
    parser.add_argument("--mib", type=int, default=512, help="of the server's container")
    asked = parser.parse_args()
    names = {"import": "metadata", "head": "endless"}
    with tempfile.TemporaryDirectory(prefix="agent-memory-attacks-") as folder:
        attacks = Attacks(folder, asked.mib)
        try:
            for name in asked.only.split(","):
                getattr(attacks, names.get(name, name))()
        finally:
            if attacks.cgroup:
                os.rmdir(attacks.cgroup)
    return 1 if attacks.missed else 0


if __name__ == "__main__":
    sys.exit(main())
