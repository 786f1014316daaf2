#!/usr/bin/env python3
"""Measures an open tenant: resident memory and open files of a server before and after a number of namespaces wrote
one row each, after a search by each, and after each wrote and read enough rows to fill its page caches. Prints a
table, and checks the memory of an open tenant, and the page caches of all together.

    scripts/bench/tenants.py [--tenants 64] [--most-kib 1024] [--rows 1500] [--cache-mib 16]

The last line is 'N passed, M failed'."""
import argparse
import base64
import http.client
import http.server
import json
import os
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e/support")]

import programs  # noqa: E402
import wire  # noqa: E402

AUDIENCE = "agent-memory.agents.agent-memory"


def encode(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def token(namespace):
    claims = {"sub": f"system:serviceaccount:{namespace}:agent", "aud": [AUDIENCE], "exp": 4102444800}
    return f"{encode({'alg': 'RS256', 'kid': 'k'})}.{encode(claims)}.c2lnbmF0dXJl"


class Reviews(http.server.BaseHTTPRequestHandler):
    """A fake API server that authenticates every token."""
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

    def fill(self, namespace, rows):
        """Imports `rows` rows of about 1 KiB, and reads most of their pages."""
        lines = [{"kind": "export", "format": "agent-memory/1"}]
        lines += [{"kind": "observation", "session_id": "s", "project": "p", "type": "note", "title": f"row {number}",
                   "content": f"{namespace} {number} " + "lorem ipsum dolor sit amet " * 35} for number in range(rows)]
        lines.append({"kind": "end", "sessions": 0, "observations": rows})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        connection = http.client.HTTPConnection(self.server.api, timeout=120)
        connection.request("POST", "/import?format=jsonl&dedup=false", text.encode(),
                           {"Authorization": f"Bearer {token(namespace)}", "Content-Type": "application/x-ndjson"})
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        if answer.status != 200 or json.loads(said)["imported_observations"] != rows:
            raise SystemExit(f"import: {answer.status} {said[:300]}")
        self.call(namespace, "GET", "/observations/recent?limit=1000")
        for word in ("lorem", "dolor", "amet"):
            self.call(namespace, "GET", f"/search?q={word}&limit=100")

    def metric(self, name):
        for line in wire.ask(self.server.admin, "GET", "/metrics")[1].splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        return 0.0  # an earlier version without this metric

    def look(self):
        """→ (RSS in KiB, open files)"""
        return programs.resident(self.server.pid)[0], len(os.listdir(f"/proc/{self.server.pid}/fd"))

    def each(self, what, before):
        now = self.look()
        kib, files = ((a - b) / self.tenants for a, b in zip(now, before))
        print(f"{what:32s} {kib:8.0f} KiB {files:6.1f} files each", flush=True)
        return kib


def fill(weights, names, asked, before):
    """→ (true if the page caches of all tenants stay within their limit, text)"""
    for name in names:
        weights.fill(name, asked.rows)
    weights.each(f"open, {asked.rows} rows written and read", before)
    resident = weights.look()[0] / 1024
    caches, words = (weights.metric(f"agent_memory_server_{kind}_bytes") / 2**20 for kind in ("cache", "index"))
    what = f"RSS {resident:.0f} MiB, of it page caches {caches:.1f} MiB, words {words:.1f} MiB"
    most = asked.cache_mib or 64
    return 0 < caches <= most, f"{what}; asked {most} MiB of page caches"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=64)
    parser.add_argument("--most-kib", type=float, default=1024)
    parser.add_argument("--rows", type=int, default=1500, help="of each tenant, for the last step; 0: without it")
    parser.add_argument("--cache-mib", type=int, default=16, help="--cache-memory of the server; 0: its default")
    asked = parser.parse_args()
    reviews = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reviews)
    threading.Thread(target=reviews.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="agent-memory-tenants-") as folder:
        server = programs.server(folder)
        server.arguments += ["--auth", "kubernetes", "--audience", AUDIENCE,
                             "--kubeconfig", kubeconfig(folder, reviews.server_port)]
        if asked.cache_mib:
            server.arguments += ["--cache-memory", f"{asked.cache_mib}Mi"]
        server.start()
        try:
            weights = Weights(server, asked.tenants)
            for _ in range(20):  # creates the threads and arenas that exist once
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
            judged = [(kib <= asked.most_kib, f"{kib:.0f} KiB for each open tenant, asked {asked.most_kib:.0f}")]
            if asked.rows:
                judged.append(fill(weights, names, asked, before))
        finally:
            server.kill()
    for passed, what in judged:
        print(f"{'passed' if passed else 'FAILED'}: {what}")
    failed = sum(not passed for passed, _ in judged)
    print(f"{len(judged) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
