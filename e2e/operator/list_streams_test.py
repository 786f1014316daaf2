#!/usr/bin/env python3
"""Checks by the audit log how an operator lists objects when it starts: as initial events of watches if the API server
supports them (KEP-3157), else in pages; both must find all objects.

    e2e/operator/list_streams_test.py [--without] [--agents N] [--kubectl PATH]

Starts its own API server, `--without` support for such lists, and removes it. The last line is "N passed, M failed".
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from operators import PATIENCE_S, Cluster, metric, run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
WATCHED = ("agents", "serviceaccounts", "services", "statefulsets")  # some of the kinds that an operator watches


class Streams(Cluster):
    def __init__(self, kubeconfig, asked, folder, state):
        super().__init__(kubeconfig, asked.kubectl, folder, "streams")
        self.log, self.agents, self.streamed = pathlib.Path(state, "log/audit.log"), asked.agents, not asked.without
        self.program, self.before = None, 0  # `before`: the offset of the program's requests in the log

    def begin(self, name):
        self.before = self.log.stat().st_size
        self.program = self.operator(name)

    def asked(self):
        """→ (paged lists, refused streamed lists, accepted streamed lists), each as (resource, selector)."""
        pages, refused, streams, known = [], [], [], set()
        with self.log.open(encoding="utf-8") as log:
            log.seek(self.before)
            text = log.read()
            for event in map(json.loads, text[:text.rfind("\n") + 1].splitlines()):  # without a line that is being written
                ours = event.get("userAgent", "").startswith("agent-memory-operator") and "objectRef" in event
                if not ours or event["auditID"] in known:  # a refused watch is logged twice, at its start and end
                    continue
                if event["objectRef"]["resource"] == "events":  # of one object that waits: no cache holds them
                    continue
                known.add(event["auditID"])
                selector = "".join(urllib.parse.parse_qs(urllib.parse.urlsplit(event["requestURI"]).query).get("labelSelector", []))
                answer = event.get("responseStatus", {}).get("code")
                where = streams if "sendInitialEvents=true" in event["requestURI"] else pages if event["verb"] == "list" else []
                (refused if where is streams and answer == 422 else where).append((event["objectRef"]["resource"], selector))
        return pages, refused, streams

    def count(self, kind):
        selector = [] if kind in ("agents", "services") else ["-l", "agents.agentops.io/agent"]
        return len(self.kubectl("get", kind, "-n", self.namespace, "-o", "name", *selector).splitlines())

    def cached(self, kind):
        return metric(self.program, "agent_memory_operator_cache_objects", resource=kind)


def every_agent_is_served(t):
    one = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "spec": {"image": "example/agent:0"}}
    agents = [{**one, "metadata": {"name": f"a{n}"}} for n in range(t.agents)]
    t.kubectl("create", "-n", t.namespace, "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": agents}))
    t.begin("first")
    t.seconds_until(lambda: t.count("statefulsets") == t.agents + 1, 3 * PATIENCE_S)
    t.quiet()


def a_restart_finds_what_there_is(t):
    assert t.program.stop(PATIENCE_S) == 0
    before = -1
    while before != (before := t.log.stat().st_size):  # the ends of its streams are logged, too
        time.sleep(1)
    t.begin("second")
    assert t.program.ready(PATIENCE_S)
    wrong = lambda: {kind: (t.cached(kind), t.count(kind)) for kind in WATCHED if t.cached(kind) != t.count(kind)}
    assert not wrong(), f"cached and there: {wrong()}"
    assert t.count("agents") == t.agents + 1


def the_server_is_asked_as_it_can(t):
    pages, refused, streams = t.asked()
    print(f"  {t.agents + 1} Agents: {len(pages)} pages, {len(streams)} lists as streams, {len(refused)} of those refused")
    kinds = lambda asked: {resource for resource, _ in asked}
    assert kinds(streams + refused) >= set(WATCHED), (streams, refused)
    if t.streamed:
        assert not refused and not pages, (pages, refused)
    else:
        assert not streams and kinds(pages) >= set(WATCHED), (pages, streams)
        assert len(refused) == len(set(refused)), f"asked more than once: {refused}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--without", action="store_true")
    options.add_argument("--agents", type=int, default=300)
    options.add_argument("--kubectl", default="kubectl")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = str(pathlib.Path(folder, "api"))
        try:
            up = subprocess.run([str(ROOT / "e2e/cluster/up"), "--api-only", "--audit", "--state", state,
                                 *(["--feature-gates", "WatchList=false"] if asked.without else [])],
                                capture_output=True, text=True, timeout=1800, check=False)
            if up.returncode:
                raise SystemExit(up.stderr[-500:])
            t = Streams(up.stdout.strip().splitlines()[-1], asked, folder, state)
            story = (every_agent_is_served, a_restart_finds_what_there_is, the_server_is_asked_as_it_can)
            return run(t, [(test.__name__, lambda test=test: test(t)) for test in story])
        finally:
            subprocess.run([str(ROOT / "e2e/cluster/down"), "--purge", "--state", state], check=False, timeout=120, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
