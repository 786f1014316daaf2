#!/usr/bin/env python3
"""Working memory belongs to its pod: another pod, of the same namespace or not, reaches only the sidecar's probes. Two
network namespaces with a veth pair between them stand for the pods, as on a node; no cluster is needed. Inside the
pod all callers count as one: the agent (ADR 23).

    pod_boundary.py                 needs Linux and root, else skipped

The last line is 'N passed, M failed'."""
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import damaged_state  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

OURS, THEIRS = "198.18.77.1", "198.18.77.2"  # from the block for network benchmarks (RFC 2544)
ROUTES = (("GET", "/conversations"), ("GET", "/conversations/c/messages"), ("GET", "/v1/status"),
          ("GET", "/context?q=x"), ("POST", "/v1/hooks"), ("POST", "/mcp"))
ASK = """
import http.client, json, sys
answers = []
for address, method, path, host in json.load(sys.stdin):
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request(method, path, b"{}" if method == "POST" else None, {"Host": host or address})
        answers.append(connection.getresponse().status)
    except OSError as failure:
        answers.append(type(failure).__name__)
print(json.dumps(answers))
"""


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


class Pods:
    """Two network namespaces with a veth pair between them."""

    def __init__(self):
        mark = secrets.token_hex(3)
        self.ours, self.theirs = f"pod-{mark}-a", f"pod-{mark}-b"
        try:
            self._make()
        except subprocess.CalledProcessError:
            self.remove()
            raise

    def _make(self):
        for name in (self.ours, self.theirs):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", "eth0", "netns", self.ours, "type", "veth", "peer", "name", "eth0", "netns", self.theirs)
        for name, address in ((self.ours, OURS), (self.theirs, THEIRS)):
            ip("-n", name, "address", "add", f"{address}/30", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")

    def ask(self, pod, calls):
        done = subprocess.run(["ip", "netns", "exec", pod, sys.executable, "-c", ASK], input=json.dumps(calls), check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)

    def remove(self):
        for name in (self.ours, self.theirs):
            ip("netns", "delete", name, check=False)


def boundary(checks, folder, pods):
    sidecar = programs.sidecar(folder, damaged_state.write_policy(folder, "http://127.0.0.1:9"),
                               wrapper=("ip", "netns", "exec", pods.ours))
    sidecar.admin = "0.0.0.0:0"
    sidecar.start()
    try:
        port, admin = (address.rsplit(":", 1)[1] for address in (sidecar.api, sidecar.admin))
        inside = f"127.0.0.1:{port}"
        probe = [OURS + ":" + admin, "GET", "/readyz", ""]
        checks.that(wire.until(lambda: pods.ask(pods.theirs, [probe]) == [200], 30), "the other pod reaches the probes")
        checks.equal(pods.ask(pods.ours, [[inside, "GET", "/conversations", ""], [inside, "GET", "/v1/status", ""]]),
                     [200, 200], "the pod itself reaches its working memory")
        outside = [[f"{OURS}:{port}", method, path, host] for method, path in ROUTES for host in ("", inside)]
        checks.equal(pods.ask(pods.theirs, outside), ["ConnectionRefusedError"] * len(outside),
                     f"the other pod is refused the connection, on {len(ROUTES)} routes, whatever Host it names")
        wrong_port = [[f"{OURS}:{admin}", method, path, host] for method, path in ROUTES for host in ("", inside)]
        checks.equal(pods.ask(pods.theirs, wrong_port), [404] * len(wrong_port), "the probes' port has none of these routes")
    finally:
        sidecar.kill()


def main():
    if sys.platform != "linux" or os.getuid() != 0 or not shutil.which("ip"):
        print("skipped: needs Linux, root and iproute2 for network namespaces\n0 passed, 0 failed, 1 skipped")
        return 0
    checks, folder, pods = Checks(), tempfile.mkdtemp(prefix="agent-memory-pods-"), None
    try:
        try:
            pods = Pods()
        except subprocess.CalledProcessError as failure:  # root without CAP_NET_ADMIN
            print(f"skipped: no network namespaces: {failure.stderr.strip()}\n0 passed, 0 failed, 1 skipped")
            return 0
        checks.chapter("two pods of one node")
        boundary(checks, folder, pods)
    finally:
        if pods:
            pods.remove()
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
