#!/usr/bin/env python3
"""Checks the life of a MemoryServer with PostgreSQL beside Kubernetes' own controllers: replicas, their replacement, the
change of the store and the end. This test plays the kubelet, and nobody is the database.

    e2e/operator/postgres_test.py --kubeconfig FILE [--kubectl PATH]

Needs a controller manager (up --api-only --with-controller-manager). The last line is "N passed, M failed".
"""
import argparse
import json
import os
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from operators import Cluster, run  # noqa: E402

API = "agents.agentops.io/v1alpha1"
STORE = {"postgres": {"secretRef": {"name": "pg"}, "key": "uri"}}
OURS = "agents.agentops.io/memory-server=shared"


class Shared(Cluster):
    def __init__(self, kubeconfig, kubectl, folder):
        super().__init__(kubeconfig, kubectl, folder, "postgres")

    def give(self, spec):
        self.kubectl("apply", "-n", self.namespace, "-f", "-", given=json.dumps(
            {"apiVersion": API, "kind": "MemoryServer", "metadata": {"name": "shared"}, "spec": spec}))

    def all(self, *what):
        return json.loads(self.kubectl("get", *what, "-n", self.namespace, "-o", "json"))["items"]

    def pods(self, owner="ReplicaSet"):
        return [p for p in self.all("pods", "-l", OURS) if p["metadata"]["ownerReferences"][0]["kind"] == owner]

    def start(self, pods):
        """Makes these pods ready, like a kubelet."""
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-04-12T10:00:00Z"}]}
        for pod in pods:
            self.kubectl("patch", "pod", pod["metadata"]["name"], "-n", self.namespace, "--subresource=status", "--type=merge", "-p",
                         json.dumps({"status": status}))

    def status(self):
        return json.loads(self.kubectl("get", "memoryserver", "shared", "-n", self.namespace, "-o", "json")).get("status", {})

    def ready(self):
        return next((f"{c['status']} {c['reason']}" for c in self.status().get("conditions", []) if c["type"] == "Ready"), "")


def unready(pods):
    return [p for p in pods if p["status"]["phase"] != "Running"]


def replicas_are_made_and_counted(t):
    t.operator("it")
    t.give({"replicas": 2, "store": STORE})
    t.seconds_until(lambda: len(t.pods()) == 2)
    t.start(t.pods()[:1])
    t.seconds_until(lambda: t.status().get("readyReplicas") == 1)
    assert t.ready().startswith("False"), t.ready()
    t.start(unready(t.pods()))
    t.seconds_until(lambda: t.ready() == "True Ready")
    assert t.status()["readyReplicas"] == 2 and t.status()["store"] == "postgres", t.status()


def a_drain_may_take_one_of_them(t):
    budget = lambda: t.all("poddisruptionbudgets")[0].get("status", {})
    t.seconds_until(lambda: budget().get("disruptionsAllowed") == 1)
    assert budget()["desiredHealthy"] == 1, budget()


def they_are_scaled(t):
    t.kubectl("scale", "memoryserver", "shared", "-n", t.namespace, "--replicas=3")
    t.seconds_until(lambda: len(t.pods()) == 3)
    t.start(unready(t.pods()))
    t.seconds_until(lambda: t.ready() == "True Ready" and t.status()["readyReplicas"] == 3)


def an_edit_never_leaves_fewer_than_wanted(t):
    t.kubectl("patch", "memoryserver", "shared", "-n", t.namespace, "--type=merge", "-p", '{"spec": {"image": "x/y:2"}}')
    new = lambda pods: [p for p in pods if p["spec"]["containers"][0]["image"] == "x/y:2"]
    for _ in range(3):
        t.seconds_until(lambda: unready(t.pods()))
        pods = t.pods()
        assert len(pods) - len(unready(pods)) == 3, [(p["metadata"]["name"], p["status"]["phase"]) for p in pods]
        assert t.ready().startswith("False"), t.ready()
        t.start(unready(pods))
        t.seconds_until(lambda: len(t.pods()) < 4 or unready(t.pods()))
    t.seconds_until(lambda: len(new(t.pods())) == 3 == len(t.pods()) and t.ready() == "True Ready")


def the_store_is_changed_only_with_a_word(t):
    try:
        t.give({})
        raise AssertionError("was taken")
    except RuntimeError as refused:
        assert "agent-memory-server migrate" in str(refused), refused
    t.give({"store": {"allowChange": True}})
    t.seconds_until(lambda: not t.pods() and not t.all("deployments"))
    t.seconds_until(lambda: t.pods("StatefulSet"))
    t.start(t.pods("StatefulSet"))
    t.seconds_until(lambda: t.ready() == "True Ready" and t.status()["store"] == "sqlite")
    claim = t.all("persistentvolumeclaims")[0]["metadata"]
    t.give({"store": {"allowChange": True, **STORE}})
    t.seconds_until(lambda: not t.pods("StatefulSet"))
    t.seconds_until(lambda: t.pods())
    assert t.all("persistentvolumeclaims")[0]["metadata"]["uid"] == claim["uid"]
    assert t.all("statefulsets", "-l", OURS)[0]["spec"]["replicas"] == 0


def it_ends_with_all_but_the_volume(t):
    t.kubectl("delete", "memoryserver", "shared", "-n", t.namespace)
    for kind in ("deployments", "replicasets", "pods", "statefulsets", "services", "poddisruptionbudgets"):
        t.seconds_until(lambda kind=kind: not t.all(kind, "-l", OURS))
    claims = t.all("persistentvolumeclaims")
    assert claims and "deletionTimestamp" not in claims[0]["metadata"], "storage.retain"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Shared(asked.kubeconfig, asked.kubectl, folder)
        story = (replicas_are_made_and_counted, a_drain_may_take_one_of_them, they_are_scaled, an_edit_never_leaves_fewer_than_wanted,
                 the_store_is_changed_only_with_a_word, it_ends_with_all_but_the_volume)
        return run(t, [(test.__name__, lambda test=test: test(t)) for test in story])


if __name__ == "__main__":
    sys.exit(main())
