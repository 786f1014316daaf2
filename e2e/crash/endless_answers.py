#!/usr/bin/env python3
"""Peers that begin an answer and never end it: each program that calls another one says so, goes on and keeps little of it
(ADR 68). A sidecar in front of such a memory server, a memory server in front of such an embeddings or chat endpoint, an
operator in front of such an API server, and `agent-memory`.

    endless_answers.py

The last line is 'N passed, M failed'."""
import json
import os
import socketserver
import subprocess
import sys
import tempfile
import threading

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import damaged_state  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

MOST_KIB, END_S, ASKS_S = 24 << 10, 15, 60
OK, CHUNKED = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
FORMS = {  # what it begins with, and what follows without end
    "status line": (b"HTTP/1.1 200 ", b"a" * 1024), "header": (OK + b"X: ", b"a" * 1024), "headers": (OK, b"A: b\r\n"),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "chunk's extension": (CHUNKED + b"5;", b"a" * 1024),
    "trailers": (CHUNKED + b"0\r\n", b"A: b\r\n")}


class Peer:
    """Begins each answer with the present form and never ends it. Leaving `with` stops it."""

    def __init__(self):
        self.form, self.asked, peer = "status line", 0, self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                got = b""
                while b"\r\n\r\n" not in got:
                    more = self.request.recv(65536)
                    if not more:
                        return
                    got += more
                peer.asked += 1
                begin, piece = FORMS[peer.form]
                try:
                    self.request.sendall(begin)
                    while True:
                        self.request.sendall(piece * (65536 // len(piece)))
                except OSError:
                    pass  # the client had enough

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address = True, True
        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()


def most_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def watched(c, program, what, ask):
    """Checks that `ask` makes the program grow by little."""
    with open(f"/proc/{program.pid}/clear_refs", "w", encoding="utf-8") as reset:
        reset.write("5")
    before = most_kib(program.pid)
    ask()
    if c.that(program.running, f"{what}: the program goes on", program.tail()):
        grown = most_kib(program.pid) - before
        c.that(grown < MOST_KIB, f"{what}: it grows by {grown} KiB, less than {MOST_KIB}")


def sidecar_meets(c, folder, peer):
    c.chapter("A sidecar and its memory server")
    sidecar = programs.sidecar(folder, damaged_state.write_policy(folder, peer.url), patient=False).start()
    try:
        for number, form in enumerate(FORMS):
            peer.form, asked = form, peer.asked

            def turn(number=number):
                for event in ({"hook_event_name": "UserPromptSubmit", "prompt": "what broke the build?"},
                              {"hook_event_name": "PostToolUse", "tool_name": "bash", "tool_use_id": f"t{number}",
                               "tool_input": {"command": "make"}, "tool_response": {"stdout": f"error in {number}"}}):
                    status, answer = wire.ask(sidecar.api, "POST", "/v1/hooks", {"session_id": f"s{number}", **event})
                    c.equal(status, 200, f"{form}: the hook {event['hook_event_name']} is answered")
                wire.until(lambda: peer.asked > asked, 2)  # the health of the server may hold calls back
            watched(c, sidecar, form, turn)
        c.that(peer.asked > 0, "the peer was asked", peer.asked)
    finally:
        sidecar.kill()


def server_meets(c, folder, peer):
    c.chapter("A memory server and its endpoints")
    server = programs.server(folder, patient=False)
    server.arguments += ["--embedding-url", peer.url + "/v1", "--embedding-model", "m", "--extraction-url", peer.url + "/v1"]
    server.start()
    try:
        for number, form in enumerate(FORMS):
            peer.form, asked = form, peer.asked

            def use(number=number):
                c.equal(wire.ask(server.api, "POST", "/observations", {
                    "project": "p", "session_id": "s", "type": "bugfix", "title": f"t{number}", "content": f"error in module {number}"})[0], 201,
                    f"{form}: a write is taken")
                c.equal(wire.ask(server.api, "GET", "/search?project=p&q=module")[0], 200, f"{form}: a search is answered")
                wire.ask(server.api, "POST", "/ingest/turns", {"user": f"I prefer tea {number}.", "assistant": "Noted."})
                wire.until(lambda: peer.asked > asked, 2)
            watched(c, server, form, use)
        c.that(peer.asked > 0, "the peer was asked", peer.asked)
    finally:
        server.kill()


def ended(argv, folder, asks):
    """Runs a program to its end, or for END_S and until it `asks` → (exit code or None, its output, its most memory in KiB)."""
    with open(os.path.join(folder, "out"), "w+b") as out:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**os.environ, "HOME": folder})
        over = lambda: os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # noqa: E731
        gone = wire.until(over, END_S) or wire.until(lambda: asks() or over(), ASKS_S) and over()
        if not gone:
            process.kill()
        _, status, used = os.wait4(process.pid, 0)  # what the kernel noted: a program may end before it is looked at
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return process.returncode if gone else None, out.read().decode(errors="replace"), used.ru_maxrss


def people_and_operators_meet(c, folder, peer):
    kubeconfig = os.path.join(folder, "kubeconfig")
    with open(kubeconfig, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "u", "user": {"token": "t"}}],
                   "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u", "namespace": "agents"}}],
                   "clusters": [{"name": "k", "cluster": {"server": peer.url}}]}, file)
    commands = {
        "agent-memory": [programs.binary("agent-memory"), "ls", "--url", peer.url],
        "agent-memory-operator": [programs.binary("agent-memory-operator"), "--kubeconfig", kubeconfig, "--admin", "127.0.0.1:0",
                                  "--namespaces", "agents"]}
    for name, argv in commands.items():
        c.chapter(f"{name} and what it calls")
        for form in FORMS:
            peer.form, asked = form, peer.asked
            code, said, most = ended(argv, folder, lambda asked=asked: peer.asked > asked)
            c.that(peer.asked > asked, f"{form}: the peer was asked", said[-300:])
            c.that(code not in (0, -11, -6, -9), f"{form}: it fails in its own words or waits for a better answer", (code, said[-300:]))
            c.that(0 < most < (MOST_KIB << 1), f"{form}: it has {most} KiB at most, less than {MOST_KIB << 1}")


def main():
    c = Checks()
    with tempfile.TemporaryDirectory(prefix="agent-memory-endless-") as folder, Peer() as peer:
        for meet in (sidecar_meets, server_meets, people_and_operators_meet):
            inside = os.path.join(folder, meet.__name__)
            os.makedirs(inside)
            meet(c, inside, peer)
    return c.end()


if __name__ == "__main__":
    sys.exit(main())
