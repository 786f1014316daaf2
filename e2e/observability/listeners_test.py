#!/usr/bin/env python3
"""Tests of every port of every program: health routes answer every caller, however it names the server and whatever it
sends; and each program listens on the family that it is told, on both by default.

    e2e/observability/listeners_test.py

Needs no network and no cluster: the API server of the operator and of the identity check denies everything. The last line is "N passed, M failed".
"""
import http.server
import json
import os
import re
import socket
import sys
import tempfile
import threading

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

# Heads of probes by load balancers, kubelets, monitors, scripts and browsers; {path} is the route.
CALLERS = {
    "HTTP/1.0 without Host": "GET {path} HTTP/1.0\r\n\r\n",
    "HTTP/1.0 with a foreign Host": "GET {path} HTTP/1.0\r\nHost: probe.example.com\r\n\r\n",
    "HTTP/1.0 that keeps the connection": "GET {path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "a foreign Host": "GET {path} HTTP/1.1\r\nHost: memory.example.com:80\r\n\r\n",
    "an address of a Pod, IPv4": "GET {path} HTTP/1.1\r\nHost: 10.244.0.7:7438\r\n\r\n",
    "an address of a Pod, IPv6": "GET {path} HTTP/1.1\r\nHost: [fd00:10:244::7]:7438\r\n\r\n",
    "a load balancer": "GET {path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\n\r\n",
    "a kubelet": "GET {path} HTTP/1.1\r\nHost: [fd00::7]:7438\r\nUser-Agent: kube-probe/1.36\r\nAccept: */*\r\nConnection: close\r\n\r\n",
    "HEAD": "HEAD {path} HTTP/1.1\r\nHost: probe.example.com\r\n\r\n",
    "a page of elsewhere": "GET {path} HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n\r\n",
    "a wrong token": "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nonsense\r\n\r\n",
    "a wrong password": "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eDp5\r\n\r\n",
    "a query": "GET {path}?verbose=1&probe HTTP/1.1\r\nHost: x\r\n\r\n",
    "a type of content and no body": "GET {path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n",
    "a type that nothing has": "GET {path} HTTP/1.1\r\nHost: x\r\nAccept: image/png\r\n\r\n",
}
HEALTH, PROBES = ("/health",), ("/livez", "/readyz")
STRANGER = "GET /observations/recent HTTP/1.1\r\nHost: evil.example\r\n\r\n"


def address(text, family=None):
    """→ (host, port) of a listening address; of a wildcard the loopback of `family`."""
    host, port = re.fullmatch(r"\[?(.*?)\]?:(\d+)", text).groups()
    return (family or ("127.0.0.1" if host in ("", "0.0.0.0", "::") else host)), int(port)


def raw(where, head):
    """→ the status of the answer; 0: none."""
    try:
        with socket.create_connection(where, wire.PATIENCE_S) as connection:
            connection.sendall(head.encode())
            answer = connection.makefile("rb").readline()
    except OSError:
        return 0
    status = re.match(rb"HTTP/1\.\d (\d+)", answer)
    return int(status[1]) if status else 0


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        return True
    except OSError:
        return False


class Denies(http.server.BaseHTTPRequestHandler):
    """An API server that knows the operator and allows it nothing."""
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden",
                           "message": "forbidden: User it cannot"}).encode()
        self.send_response(403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except OSError:  # the operator ended
            pass

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


class Machine:
    def __init__(self, folder):
        self.folder, self.count, self.started = folder, 0, []
        self.denies = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Denies)
        threading.Thread(target=self.denies.serve_forever, daemon=True).start()
        self.kubeconfig = self.file("kubeconfig", {
            "apiVersion": "v1", "kind": "Config", "current-context": "it", "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "clusters": [{"name": "it", "cluster": {"server": f"http://127.0.0.1:{self.denies.server_port}"}}], "users": [{"name": "it", "user": {"token": "t"}}]})
        self.policy = self.file("policy.json", {"version": 1, "memory": {"project": "p"}})

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            json.dump(content, out)
        os.chmod(path, 0o600)
        return path

    def start(self, name, arguments, api, admin):
        self.count += 1
        here = os.path.join(self.folder, str(self.count))
        program = programs.Program(name, [word.replace("HERE", here) for word in arguments], here + ".log")
        program.api, program.admin = api, admin
        self.started.append(program.start())
        return program

    def server(self, *more, api="127.0.0.1:0", admin="127.0.0.1:0"):
        return self.start("agent-memory-server", ["--data-dir=HERE", *more], api, admin)

    def sidecar(self, *more, api="127.0.0.1:0", admin="127.0.0.1:0"):
        return self.start("agent-memory-sidecar", ["--data-dir=HERE", f"--policy={self.policy}", *more], api, admin)

    def operator(self, *more, admin="127.0.0.1:0"):
        return self.start("agent-memory-operator", [f"--kubeconfig={self.kubeconfig}", "--adopt-crds", *more], None, admin)


def health_answers_every_caller(checks, machine):
    checks.chapter("Health routes of each port answer every caller")
    closed = ("--auth=kubernetes", f"--kubeconfig={machine.kubeconfig}", "--audience=agent-memory.n.s", "--aegis-listen=127.0.0.1:0")
    server, identity = machine.server("--aegis-listen=127.0.0.1:0"), machine.server(*closed)
    sidecar, operator = machine.sidecar(), machine.operator()
    ports = [("server", server.api, HEALTH), ("server's admin", server.admin, PROBES), ("server's AEGIS", programs.aegis_address(server), HEALTH),
             ("server with identity", identity.api, HEALTH), ("its admin", identity.admin, PROBES), ("its AEGIS", programs.aegis_address(identity), HEALTH),
             ("sidecar", sidecar.api, HEALTH), ("sidecar's admin", sidecar.admin, PROBES), ("operator's admin", operator.admin, PROBES)]
    for name, where, routes in ports:
        for path in routes:
            # Ready is a state: without an API server the operator is not, and says so to every caller.
            usual = raw(address(where), CALLERS["a kubelet"].format(path=path))
            wrong = {caller: status for caller, head in CALLERS.items()
                     if (status := raw(address(where), head.format(path=path))) != usual}
            checks.that(usual in (200, 503) and (usual == 200 or path == "/readyz") and not wrong,
                        f"{name}: {path} is {usual} for {len(CALLERS)} callers", {"kubelet": usual, **wrong})
    checks.equal(raw(address(server.api), STRANGER), 421, "another route refuses a stranger's Host")
    checks.equal(raw(address(identity.api), STRANGER), 401, "another route refuses a caller without a token")


def programs_listen_on_the_families_that_they_are_told(checks, machine):
    checks.chapter("Each program listens on the family that it is told, and on both by default")
    if not has_ipv6():
        checks.say("this machine has no IPv6: IPv4 alone")
    both = ["127.0.0.1", *(["::1"] if has_ipv6() else [])]
    told = {"127.0.0.1:0": ["127.0.0.1"], "0.0.0.0:0": ["127.0.0.1"], ":0": both}
    if has_ipv6():
        told |= {"[::1]:0": ["::1"], "[::]:0": both}
    for listen, families in told.items():
        loopback = listen.startswith(("127.", "[::1]"))
        ports = []
        server = machine.server("--insecure", f"--aegis-listen={listen}", api=listen, admin=listen)
        ports += [("server", server.api, "/health"), ("server's admin", server.admin, "/readyz"), ("AEGIS", programs.aegis_address(server), "/health")]
        sidecar = machine.sidecar(api=listen if loopback else "127.0.0.1:0", admin=listen)
        ports += [("sidecar's admin", sidecar.admin, "/readyz"), *([("sidecar", sidecar.api, "/health")] if loopback else [])]
        ports += [("operator's admin", machine.operator(admin=listen).admin, "/livez")]
        seen = {name: [family for family in both if raw(address(where, family), f"GET {path} HTTP/1.0\r\n\r\n") == 200]
                for name, where, path in ports}
        checks.that(all(answer == families for answer in seen.values()), f"{listen}: {len(ports)} ports answer on {' and '.join(families)}", seen)
        # The address that is printed is one that a program or person can use.
        printed = [where for _, where, _ in ports if not re.fullmatch(r"(\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]|):\d+", where)]
        checks.equal(printed, [], f"{listen}: the printed addresses are addresses")


def a_sidecar_reaches_a_server_of_each_family(checks, machine):
    checks.chapter("A sidecar delivers to a server by IPv4 and by IPv6")
    for host in ["127.0.0.1", *(["[::1]"] if has_ipv6() else [])]:
        server = machine.server(api=f"{host}:0", admin=f"{host}:0")
        policy = machine.file(f"policy-{machine.count}.json", {"version": 1, "memory": {"project": "p", "url": f"http://{server.api}"}})
        sidecar = machine.start("agent-memory-sidecar", ["--data-dir=HERE", f"--policy={policy}"], f"{host}:0", f"{host}:0")
        status, said = wire.ask(f"http://{sidecar.api}", "POST", "/observations", {"type": "note", "title": "t", "content": "by " + host})
        found = wire.until(lambda: wire.ask(f"http://{server.api}", "GET", "/observations/recent?project=p")[1], 60)
        checks.that(status in (200, 201, 202) and found, f"through {host}", (status, said, found))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        try:
            for test in (health_answers_every_caller, programs_listen_on_the_families_that_they_are_told,
                         a_sidecar_reaches_a_server_of_each_family):
                test(checks, machine)
        finally:
            for program in machine.started:
                program.kill()
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
