#!/usr/bin/env python3
"""Measures how an operator with a changed default rolls it out to many Agents: the most pods that are away at once, the
conditions of the other Agents meanwhile, and whether each pod is recreated once. Uses a real API server, controller
manager and scheduler, and fake nodes: a bound pod is ready after a second, a deleted one is gone at once, and no
container runs. e2e/story, where containers run, shows that sidecars are drained.

    scripts/bench/rollout.py --kubeconfig FILE [--agents 500] [--places 10] [--kubectl PATH]

`e2e/cluster/up --api-only --with-scheduler` prints a kubeconfig. Needs the release build, or AGENT_MEMORY_BIN. Exit 1
if a limit is missed; the created namespace stays on that server. The last line is 'N passed, M failed'."""
import argparse
import collections
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import agents

import programs
import wire

PODS_A_NODE = 110
READY_AFTER_S = 1.0
NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
MERGE = "application/merge-patch+json"


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())


def stream(port, path):
    """Yields the events of a watch forever; reopens the watch when it ends."""
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        try:
            connection.request("GET", path)
            for line in connection.getresponse():
                yield json.loads(line)
        except (OSError, ValueError, http.client.HTTPException):
            pass
        connection.close()


class Line:
    """A connection for one thread."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def send(self, method, path, body=None, kind="application/json"):
        return wire.on(self.connection, method, path, body, {"Content-Type": kind})


class Nodes:
    """Fake nodes: everything that kubelets write to the API server."""

    def __init__(self, api, count):
        self.api, self.names = api, [f"played-{api.space}-{number}" for number in range(count)]
        for name in self.names:
            api.call("POST", NODES, {"metadata": {"name": name}})
            capacity = {"cpu": "1000", "memory": "1000Gi", "pods": str(PODS_A_NODE)}
            api.call("PATCH", f"{NODES}/{name}/status", {"status": {
                "capacity": capacity, "allocatable": capacity, "nodeInfo": {"kubeletVersion": "v1.36.3"},
                "conditions": [{"type": "Ready", "status": "True", "reason": "Played", "lastHeartbeatTime": now(),
                                "lastTransitionTime": now()}]}}, MERGE)
            api.call("POST", LEASES, {"metadata": {"name": name}, "spec": {
                "holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": now()}})
        self.due = collections.deque()  # (time, path, uid) of pods that get ready
        threading.Thread(target=self.beat, daemon=True).start()
        threading.Thread(target=self.get_ready, daemon=True).start()

    def beat(self):
        line = Line(self.api.port)
        while True:
            for name in self.names:
                line.send("PATCH", f"{LEASES}/{name}", {"spec": {"renewTime": now()}}, MERGE)
            time.sleep(10)

    def see(self, line, pod):
        """Handles one change of a pod like a kubelet."""
        path = f"/api/v1/namespaces/{self.api.space}/pods/{pod['metadata']['name']}"
        if "deletionTimestamp" in pod["metadata"]:
            line.send("DELETE", path, {"gracePeriodSeconds": 0,
                                       "preconditions": {"uid": pod["metadata"]["uid"]}})
        elif pod["spec"].get("nodeName") and pod["status"].get("phase") == "Pending":
            self.due.append((time.monotonic() + READY_AFTER_S, path, pod["metadata"]["uid"]))

    def get_ready(self):
        line = Line(self.api.port)
        while True:
            if not self.due or self.due[0][0] > time.monotonic():
                time.sleep(0.02)
                continue
            _, path, uid = self.due.popleft()
            conditions = [{"type": kind, "status": "True", "lastTransitionTime": now()}
                          for kind in ("Initialized", "ContainersReady", "Ready")]
            line.send("PATCH", f"{path}/status", {"metadata": {"uid": uid}, "status": {
                "phase": "Running", "conditions": conditions}}, MERGE)


class Pods:
    """The pods that are ready now, the fewest ready ones since begin(), and all uids of each name."""

    def __init__(self, api, nodes):
        self.api, self.nodes = api, nodes
        self.ready, self.made = set(), collections.defaultdict(set)
        self.fewest = None
        threading.Thread(target=self.follow, daemon=True).start()

    def begin(self):
        self.fewest = len(self.ready)

    def follow(self):
        line = Line(self.api.port)
        for event in stream(self.api.port, f"/api/v1/namespaces/{self.api.space}/pods?watch=1"):
            pod = event["object"]
            if "spec" not in pod:
                continue
            name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
            self.made[name].add(uid)
            is_ready = any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", []))
            if is_ready and event["type"] != "DELETED" and "deletionTimestamp" not in pod["metadata"]:
                self.ready.add(name)
            else:
                self.ready.discard(name)
            if self.fewest is not None:
                self.fewest = min(self.fewest, len(self.ready))
            if event["type"] != "DELETED":
                self.nodes.see(line, pod)


def make_volumes(api, count):
    """Creates a volume for each later claim, since no provisioner runs."""
    for number in range(count):
        name = f"data-a{number}-0"
        api.call("POST", "/api/v1/persistentvolumes", {"metadata": {"name": f"{api.space}-{name}"}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/played"},
            "claimRef": {"namespace": api.space, "name": name}}})


def says(api):
    """The number of Agents with each reason of UpToDate."""
    reasons = collections.Counter()
    for agent in api.call("GET", agents.AGENTS.format(api.space))["items"]:
        for condition in agent.get("status", {}).get("conditions", []):
            if condition["type"] == "UpToDate":
                reasons[condition["reason"]] += 1
    return reasons


def operator(asked, api, folder, *more):
    return programs.Program("agent-memory-operator", [
        f"--kubeconfig={asked.kubeconfig}", f"--namespaces={api.space}", f"--lease={api.space}/operator", "--adopt-crds",
        f"--max-concurrent-rollouts={asked.places}", *more], os.path.join(folder, "log"))


def measure(api, asked, folder, table):
    nodes = Nodes(api, asked.agents // PODS_A_NODE + 2)
    make_volumes(api, asked.agents)
    pods = Pods(api, nodes)
    first = operator(asked, api, folder).start()
    try:
        if not wire.until(lambda: len(pods.ready) == asked.agents and says(api)["Current"] == asked.agents, 1800, 2):
            raise SystemExit(f"only {len(pods.ready)} pods are ready, {says(api)}:\n" + first.tail())
    finally:
        first.stop()

    pods.begin()
    began = time.monotonic()
    second = operator(asked, api, folder, "--otlp-endpoint=http://traces.example:4318").start()
    most = collections.Counter()
    try:
        while time.monotonic() - began < 3600:
            reasons, renewed = says(api), sum(len(uids) > 1 for uids in pods.made.values())
            most = max(most, reasons, key=lambda counted: counted["UpdatePending"])
            if renewed == asked.agents and reasons["Current"] == asked.agents:
                break
            time.sleep(1)
        took = time.monotonic() - began
        time.sleep(5)  # time for pods to be recreated a second time
    finally:
        second.stop()
    away = asked.agents - pods.fewest
    counts = collections.Counter(len(uids) for uids in pods.made.values())
    table.row("pods away or not ready at once, most", away, f"{asked.places}", away <= asked.places)
    table.row("pods made anew: times → Agents", dict((times - 1, many) for times, many in counts.items()),
              f"once: {asked.agents}", counts == {2: asked.agents})
    # Not judged: on a slow machine the reconciles limit the pace, not the places.
    table.row("Agents that say UpdatePending, most", f"{most['UpdatePending']}, while all say {dict(most)}", "the others")
    table.row("all made anew after", f"{took:.0f} s, {asked.agents / took:.1f} a second", "paced")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--agents", type=int, default=500)
    options.add_argument("--places", type=int, default=10)
    asked = options.parse_args()
    subprocess.run([asked.kubectl, f"--kubeconfig={asked.kubeconfig}", "apply", "--server-side", "--force-conflicts", "-k",
                    os.path.join(agents.ROOT, "crds")], check=True, stdout=subprocess.DEVNULL)
    api, table = agents.Api(asked), agents.Table()
    with tempfile.TemporaryDirectory() as folder:
        try:
            wire.until(lambda: wire.on(api.connection, "GET", agents.AGENTS.format("default"))[0] == 200, 30)
            agents.make_agents(api, asked.agents)
            print("| Figure | here | asked |\n|---|---|---|")
            measure(api, asked, folder, table)
        finally:
            api.proxy.terminate()
    print(f"{table.passed} passed, {table.failed} failed")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
