#!/usr/bin/env python3
"""Weighs an open tenant: resident memory and open files of a server before and after a number of namespaces
wrote one row each, and after each asked one question. Prints a table and judges the last figure.

    scripts/bench/tenants.py [--tenants 64] [--most-kib 1024]

The last line is 'N passed, M failed'."""
import argparse
import base64
import http.server
import json
import os
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e")]

import programs  # noqa: E402
import wire  # noqa: E402

AUDIENCE = "agent-memory.agents.agent-memory"


def encode(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def token(namespace):
    claims = {"sub": f"system:serviceaccount:{namespace}:agent", "aud": [AUDIENCE], "exp": 4102444800}
    return f"{encode({'alg': 'RS256', 'kid': 'k'})}.{encode(claims)}.c2lnbmF0dXJl"


class Reviews(http.server.BaseHTTPRequestHandler):
    """An API server that believes every token."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        claims = asked["spec"]["token"].split(".")[1]
        user = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"]
        asked["status"] = {"authenticated": True, "audiences": [AUDIENCE], "user": {"username": user}}
        body = json.dumps(asked).encode()
        self.send_response(201)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def kubeconfig(folder, port):
    path = os.path.join(folder, "kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                   "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                   "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
                   "users": [{"name": "u", "user": {"token": "t"}}]}, file)
    return path


class Weights:
    def __init__(self, server, tenants):
        self.server, self.tenants = server, tenants

    def call(self, namespace, method, path, body=None):
        status, said = wire.ask(self.server.api, method, path, body, {"Authorization": f"Bearer {token(namespace)}"})
        if not 200 <= status < 300:
            raise SystemExit(f"{method} {path}: {status} {said}")

    def write(self, namespace):
        self.call(namespace, "POST", "/observations", {"session_id": "s", "project": "p", "type": "note",
                                                       "title": "one", "content": "one row"})

    def look(self):
        """→ (RSS in KiB, open files)"""
        return programs.resident(self.server.pid)[0], len(os.listdir(f"/proc/{self.server.pid}/fd"))

    def each(self, what, before):
        now = self.look()
        kib, files = ((a - b) / self.tenants for a, b in zip(now, before))
        print(f"{what:32s} {kib:8.0f} KiB {files:6.1f} files each", flush=True)
        return kib


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=64)
    parser.add_argument("--most-kib", type=float, default=1024)
    asked = parser.parse_args()
    reviews = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reviews)
    threading.Thread(target=reviews.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="agent-memory-tenants-") as folder:
        server = programs.server(folder)
        server.arguments += ["--auth", "kubernetes", "--audience", AUDIENCE,
                             "--kubeconfig", kubeconfig(folder, reviews.server_port)]
        server.start()
        try:
            weights = Weights(server, asked.tenants)
            for _ in range(20):  # threads and arenas that are there once
                weights.write("warm")
                weights.call("warm", "GET", "/context?project=p&query=row")
            before = weights.look()
            names = [f"team-{number}" for number in range(asked.tenants)]
            for name in names:
                weights.write(name)
            weights.each("open, wrote one row", before)
            for name in names:
                weights.call(name, "GET", "/context?project=p&query=row")
            kib = weights.each("open, wrote, asked one question", before)
        finally:
            server.kill()
    passed = kib <= asked.most_kib
    print(f"{'passed' if passed else 'FAILED'}: {kib:.0f} KiB for each open tenant, asked {asked.most_kib:.0f}")
    print(f"{int(passed)} passed, {int(not passed)} failed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
