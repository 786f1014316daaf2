#!/usr/bin/env python3
"""Checks by the API server's audit log that the operator uses exactly the rights that the chart's roles grant: the
operator runs as its ServiceAccount, and its objects get and lose all their features.

    e2e/operator/rights_test.py [--kubectl PATH] [--helm PATH]

Starts its own API server, and removes it. Does not test the rights that need a node; see BY_A_NODE.
The last line is "N passed, M failed".
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import wire  # noqa: E402
from operators import PATIENCE_S, Cluster, run  # noqa: E402
from programs import Program  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = "agents.agentops.io/v1alpha1"
# For a running pod: an annotation when its policy changes, a new sidecar in place, and a delete if that is impossible.
# e2e/story tests all three.
BY_A_NODE = {("patch", "", "pods"), ("delete", "", "pods"), ("patch", "", "pods/resize")}
# The operator holds these only to grant them to Agents: no API server serves the resource.
HELD = {(verb, "memory.agents.agentops.io", "sharedmemories") for verb in ("get", "list", "update", "delete")}


def pod_monitors():
    open_object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "podmonitors.monitoring.coreos.com"},
            "spec": {"group": "monitoring.coreos.com", "scope": "Namespaced",
                     "names": {"kind": "PodMonitor", "listKind": "PodMonitorList", "plural": "podmonitors", "singular": "podmonitor"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                         "type": "object", "properties": {"spec": open_object}}}}]}}


class Rights(Cluster):
    def __init__(self, kubeconfig, asked, folder, state):
        super().__init__(kubeconfig, asked.kubectl, folder, "rights")
        self.helm, self.log = asked.helm, pathlib.Path(state, "log/audit.log")
        self.account, self.roles, self.program = f"{self.namespace}-operator", [], None

    def give(self, kind, name, spec, version=API, **metadata):
        self.kubectl("apply", "-n", self.namespace, "-f", "-", given=json.dumps(
            {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, **({"spec": spec} if spec is not None else {})}))

    def there(self, *what):
        try:
            return json.loads(self.kubectl("get", *what, "-n", self.namespace, "-o", "json"))
        except RuntimeError:
            return None

    def resolved(self, truth):
        agent = self.there("agent", "a") or {}
        return any(c["type"] == "MemoryResolved" and c["status"] == truth for c in agent.get("status", {}).get("conditions", []))

    def install(self):
        """Applies the chart's roles, and its policies for foreign pods."""
        command = [self.helm, "template", self.namespace, str(ROOT / "charts/agent-memory"), "-n", self.namespace, "--kube-version=1.36.0",
                   "--set=crds.enabled=false,foreignPods.enabled=true,foreignPods.mode=policy",
                   "-s", "templates/operator/rbac.yaml", "-s", "templates/operator/foreign-pods.yaml"]
        text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
        self.kubectl("apply", "-f", "-", given=text)
        self.give("ServiceAccount", self.account, None, "v1")
        found = self.kubectl("create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", "-", given=text)
        decoder, at = json.JSONDecoder(), 0
        while at < len(found.rstrip()):
            thing, at = decoder.raw_decode(found, at)
            self.roles += [rule for one in thing.get("items", [thing]) for rule in one.get("rules", []) if one["kind"].endswith("Role")]
            at += len(found[at:]) - len(found[at:].lstrip())

    def granted(self):
        return {(verb, group, resource) for rule in self.roles for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]}

    def calls(self):
        """→ (used rights, refused rights) by the audit log, as (verb, group, resource)."""
        used, refused, who = set(), set(), f"system:serviceaccount:{self.namespace}:{self.account}"
        text = self.log.read_text(encoding="utf-8")
        for line in text[:text.rfind("\n") + 1].splitlines():  # without a line that is being written
            event = json.loads(line)
            where = event.get("objectRef")
            if event["user"]["username"] != who or not where:
                continue
            resource = where["resource"] + ("/" + where["subresource"] if where.get("subresource") else "")
            asked = (event["verb"], where.get("apiGroup", ""), resource)
            used.add(asked)
            # Server-side apply of a missing object needs both rights.
            if event["verb"] == "patch" and event.get("responseStatus", {}).get("code") == 201:
                used.add(("create", *asked[1:]))
            if event.get("responseStatus", {}).get("code") == 403:
                refused.add(asked)
        return used, refused


def it_lives_through_everything(t):
    labels = {"app": "other", "agents.agentops.io/memory": "a"}
    assert wire.until(lambda: t.there("serviceaccount", "default"), PATIENCE_S, 0.3)
    # A foreign pod that exists before the policies, without a sidecar.
    t.give("ReplicaSet", "other", {"replicas": 1, "selector": {"matchLabels": labels}, "template": {
        "metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}}, "apps/v1")
    missed = lambda: [p["metadata"]["name"] for p in t.there("pods", "-l", "app=other")["items"]]
    assert wire.until(missed, PATIENCE_S, 0.3)
    first = missed()[0]
    t.kubectl("apply", "-f", "-", given=json.dumps(pod_monitors()))
    t.install()
    service = {"ports": [{"name": "memory", "port": 7437}]}
    t.give("Service", "m", service, "v1")
    t.give("Agent", "task", {"mode": "task", "image": "i"})
    t.give("Agent", "reader", {"image": "i"})
    t.give("AgentRun", "run", {"agentRef": "task", "storage": {}})
    assert wire.until(lambda: t.kubectl("get", "podmonitors", "-n", t.namespace) is not None, PATIENCE_S)
    t.give("MemoryServer", "server", {"evictable": False, "podMonitor": {"enabled": True}})
    t.give("PersistentVolumeClaim", "data-a-0", {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}, "v1",
           labels={"agents.agentops.io/agent": "a"}, annotations={"agents.agentops.io/retained-from": "u"})
    t.give("Agent", "a", {"image": "i", "injection": {"foreignPods": True, "replaceMissedPods": True}, "storage": {"adopt": True},
                          "memory": {"serverRef": "m", "share": [{"agents": ["reader"]}]}, "ports": [{"name": "http", "containerPort": 80}]})
    t.program = Program("agent-memory-operator", [f"--kubeconfig={t.kubeconfig_of(t.account)}", f"--lease={t.namespace}/{t.account}",
                                                  f"--injection-policy={t.namespace}-foreign-pods", "--replaced-pods-per-minute=600"],
                        os.path.join(t.folder, "operator.log"))
    t.started.append(t.program.start())
    t.seconds_until(lambda: t.there("statefulset", "a"))
    t.seconds_until(lambda: first not in missed())
    owner = {"apiVersion": API, "kind": "Agent", "name": "a", "uid": t.there("agent", "a")["metadata"]["uid"], "controller": True}
    former = {"labels": {"agents.agentops.io/agent": "a"}, "ownerReferences": [owner]}
    t.give("ServiceAccount", "former", None, "v1", **former)
    t.give("StatefulSet", "former", {"serviceName": "x", "selector": {"matchLabels": {"x": "y"}}, "replicas": 0, "template": {
        "metadata": {"labels": {"x": "y"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}, "apps/v1", **former)
    for _ in range(2):  # the second time the operator updates the count of the same Events
        t.seconds_until(lambda: t.resolved("True"))
        t.kubectl("delete", "service", "m", "-n", t.namespace)
        t.seconds_until(lambda: t.resolved("False"))
        t.give("Service", "m", service, "v1")
    t.seconds_until(lambda: t.there("podmonitor", "server") and t.there("poddisruptionbudget", "server"))
    t.give("MemoryServer", "server", {"networkPolicy": {"enabled": False}})
    t.seconds_until(lambda: not t.there("podmonitor", "server") and not t.there("networkpolicy", "server"))
    t.give("MemoryServer", "shared", {"replicas": 2, "store": {"postgres": {"secretRef": {"name": "pg"}, "key": "uri"}}})
    t.seconds_until(lambda: t.there("deployment", "shared"))
    t.give("MemoryServer", "shared", {"store": {"allowChange": True}})
    t.seconds_until(lambda: not t.there("deployment", "shared") and t.there("statefulset", "shared"))
    t.give("Agent", "b", {"image": "i", "injection": {"foreignPods": True}, "memory": {"serverRef": "m"}})
    bound = lambda: t.there("mutatingadmissionpolicybinding", f"{t.namespace}.b")
    t.seconds_until(bound)
    t.kubectl("delete", "agent", "b", "-n", t.namespace)
    t.seconds_until(lambda: not bound())
    t.kubectl("patch", "agent", "a", "-n", t.namespace, "--type=json", "-p", json.dumps(
        [{"op": "remove", "path": f"/spec/{field}"} for field in ("memory", "injection", "ports")]))
    t.seconds_until(lambda: not t.there("configmap", "a-policy"))


def nothing_was_refused(t):
    assert not t.calls()[1], t.calls()[1]


def what_is_granted_is_used(t):
    wanted = t.granted() - BY_A_NODE - HELD
    assert len(wanted) > 40, wanted
    wire.until(lambda: wanted <= t.calls()[0], PATIENCE_S, 0.5)
    print(f"  {len(t.granted())} rights granted, {len(t.calls()[0] & t.granted())} of them used; {len(BY_A_NODE)} take a node")
    assert wanted <= t.calls()[0], f"granted and never used: {sorted(wanted - t.calls()[0])}"


def what_is_used_is_granted(t):
    """calls() omits discovery, which every account may use: those calls name no object."""
    assert t.calls()[0] <= t.granted(), f"used and granted by somebody else: {sorted(t.calls()[0] - t.granted())}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--helm", default="helm")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "api")
        try:
            up = subprocess.run([str(ROOT / "e2e/cluster/up"), "--api-only", "--with-controller-manager", "--audit", "--state", state,
                                 # With WatchList the lists are part of the watches; without it they need the right to list.
                                 "--feature-gates", "WatchList=false"],
                                capture_output=True, text=True, timeout=1800, check=False)
            if up.returncode:
                raise SystemExit(up.stderr[-500:])
            t = Rights(up.stdout.strip().splitlines()[-1], asked, folder, state)
            story = (it_lives_through_everything, nothing_was_refused, what_is_granted_is_used, what_is_used_is_granted)
            return run(t, [(test.__name__, lambda test=test: test(t)) for test in story])
        finally:
            subprocess.run([str(ROOT / "e2e/cluster/down"), "--purge", "--state", state], check=False, timeout=120, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
