#!/usr/bin/env python3
"""Checks that an object whose pod cannot be made says why, and what to set: the API server refuses the pod, its claim or
another child, and the words stand in Events of a StatefulSet or Job only.

    e2e/operator/causes_test.py --kubeconfig FILE [--kubectl PATH]

Needs a controller manager (up --api-only --with-controller-manager). The operator runs as its ServiceAccount with the
rights of config/rbac. The last line is "N passed, M failed".
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import wire  # noqa: E402
from operators import PATIENCE_S, Cluster, run  # noqa: E402
from programs import Program  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = "agents.agentops.io/v1alpha1"
WEBHOOK = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "webhooks": [{
    "name": "nobody.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail", "timeoutSeconds": 1,
    "clientConfig": {"url": "https://127.0.0.1:1/"},
    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}]}
POLICY = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "spec": {
    "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]},
    "validations": [{"expression": "has(object.metadata.labels.team)", "message": "every pod has a team"}]}}
AGENT = {"image": "i"}
# Name, object in the way, kind and spec of what cannot be made, what its condition Ready names of the cause and of the
# remedy. {} is the namespace.
CASES = [
    ("a quota that asks for limits", ("ResourceQuota", "v1", {"hard": {"limits.cpu": "1"}}), "Agent", AGENT,
     ["FailedCreate", "must specify limits.cpu", "ResourceQuota it", "spec.sidecar.resources"]),
    ("a quota that is used up", ("ResourceQuota", "v1", {"hard": {"pods": "0"}}), "Agent", AGENT,
     ["FailedCreate", "exceeded quota", "raise ResourceQuota it"]),
    ("a quota of volumes", ("ResourceQuota", "v1", {"hard": {"requests.storage": "1Mi"}}), "Agent", AGENT,
     ["FailedCreate", "data-", "requests.storage", "spec.storage.size"]),
    ("a quota of objects", ("ResourceQuota", "v1", {"hard": {"count/statefulsets.apps": "0"}}), "Agent", AGENT,
     ["exceeded quota", "raise ResourceQuota it"]),
    ("a LimitRange", ("LimitRange", "v1", {"limits": [{"type": "Container", "max": {"memory": "1Mi"}}]}), "Agent",
     {**AGENT, "resources": {"limits": {"memory": "64Mi"}}},
     ["FailedCreate", "maximum memory usage per Container", "the namespace's LimitRange"]),
    ("Pod Security", None, "Agent", {"template": {"spec": {"containers": [
        {"name": "agent", "image": "i", "securityContext": {"privileged": True}}]}}},
     ["FailedCreate", "violates PodSecurity", "spec.template", "pod-security.kubernetes.io/enforce"]),
    ("a policy", POLICY, "Agent", AGENT, ["FailedCreate", "every pod has a team", "what policy"]),
    ("a webhook that does not answer", WEBHOOK, "Agent", AGENT,
     ["FailedCreate", "failed calling webhook", "make webhook nobody.example.com answer"]),
    ("a PriorityClass that is not there", None, "Agent", {"template": {"spec": {"priorityClassName": "none-such", "containers": [
        {"name": "agent", "image": "i"}]}}}, ["FailedCreate", "create PriorityClass none-such"]),
    ("a ServiceAccount that is not there", None, "Agent", {"template": {"spec": {"serviceAccountName": "none-such", "containers": [
        {"name": "agent", "image": "i"}]}}}, ["FailedCreate", "create ServiceAccount none-such"]),
    ("a quota, and a MemoryServer", ("ResourceQuota", "v1", {"hard": {"pods": "0"}}), "MemoryServer", {},
     ["FailedCreate", "exceeded quota", "raise ResourceQuota it"]),
    ("a LimitRange, and a MemoryServer's volume", ("LimitRange", "v1", {"limits": [
        {"type": "PersistentVolumeClaim", "max": {"storage": "1Mi"}}]}), "MemoryServer", {},
     ["FailedCreate", "maximum storage usage per PersistentVolumeClaim", "spec.storage.size"]),
    ("a quota, and a run", ("ResourceQuota", "v1", {"hard": {"pods": "0"}}), "AgentRun", {"agentRef": "task"},
     ["FailedCreate", "exceeded quota", "raise ResourceQuota it"]),
    ("a quota of volumes, and a run", ("ResourceQuota", "v1", {"hard": {"requests.storage": "1Mi"}}), "AgentRun", {"agentRef": "task", "storage": {}},
     ["Refused", "exceeded quota", "raise ResourceQuota it"]),
    ("a LimitRange's limit below a request", ("LimitRange", "v1", {"limits": [{"type": "Container", "default": {"cpu": "100m"}}]}), "Agent",
     {**AGENT, "resources": {"requests": {"cpu": "500m"}}}, ["FailedCreate", "must be less than or equal to cpu limit", "not above the limits"]),
    ("a LimitRange's ratio", ("LimitRange", "v1", {"limits": [{"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}]}), "Agent",
     {**AGENT, "resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "900m"}}},
     ["FailedCreate", "max limit to request ratio", "the ratio of the namespace's LimitRange"]),
    ("Pod Security, and a run", None, "AgentRun", {"agentRef": "privileged"}, ["FailedCreate", "violates PodSecurity", "spec.template"]),
]
TASKS = {"task": {"mode": "task", "image": "i"}, "privileged": {"mode": "task", "template": {"spec": {"restartPolicy": "Never", "containers": [
    {"name": "agent", "image": "i", "securityContext": {"privileged": True}}]}}}}


class Causes(Cluster):
    def __init__(self, kubeconfig, kubectl, folder):
        super().__init__(kubeconfig, kubectl, folder, "causes")
        self.spaces, self.account = [], "operator"

    def give(self, space, thing):
        self.kubectl("apply", "-n", space, "-f", "-", given=json.dumps(thing))

    def start(self):
        """One namespace for each case, so that no case is in another's way, and one operator for all."""
        rules = self.kubectl("create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", str(ROOT / "config/rbac/rbac.yaml"))
        roles = json.loads("[" + rules.strip().replace("}\n{", "},{") + "]")
        role = next(one for one in roles if one["kind"] == "ClusterRole")
        name = {"metadata": {"name": self.namespace}}
        rbac = {"apiVersion": "rbac.authorization.k8s.io/v1"}
        self.give(self.namespace, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": self.account}})
        self.give(self.namespace, {**rbac, **name, "kind": "ClusterRole", "rules": role["rules"] + [
            {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "patch"]}]})
        self.give(self.namespace, {**rbac, **name, "kind": "ClusterRoleBinding",
                                   "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": self.namespace},
                                   "subjects": [{"kind": "ServiceAccount", "name": self.account, "namespace": self.namespace}]})
        for number, (_, hindrance, kind, spec, _) in enumerate(CASES):
            space = f"{self.namespace}-{number}"
            self.spaces.append(space)
            self.give(space, {"apiVersion": "v1", "kind": "Namespace", "metadata": {
                "name": space, "labels": {"pod-security.kubernetes.io/enforce": "baseline", "case": space}}})
            if hindrance:
                self.hinder(space, hindrance)
            for task, of_task in TASKS.items():
                self.give(space, {"apiVersion": API, "kind": "Agent", "metadata": {"name": task}, "spec": of_task})
            self.give(space, {"apiVersion": API, "kind": kind, "metadata": {"name": "a"}, "spec": spec})
        self.started.append(Program("agent-memory-operator", [
            f"--kubeconfig={self.kubeconfig_of(self.account)}", f"--lease={self.namespace}/operator"], os.path.join(self.folder, "operator.log")))
        self.started[-1].start()

    def hinder(self, space, hindrance):
        if isinstance(hindrance, tuple):
            kind, version, spec = hindrance
            self.give(space, {"apiVersion": version, "kind": kind, "metadata": {"name": "it"}, "spec": spec})
            # Without the quota's status, which the controller manager writes, everything is refused in other words.
            if kind == "ResourceQuota":
                assert wire.until(lambda: "hard" in self.kubectl("get", "resourcequota", "it", "-n", space, "-o", "jsonpath={.status}"), PATIENCE_S, 0.2)
            return
        here = {"namespaceSelector": {"matchLabels": {"case": space}}}
        thing = {**hindrance, "metadata": {"name": space}}
        if thing["kind"] == "ValidatingWebhookConfiguration":
            thing["webhooks"] = [{**thing["webhooks"][0], **here}]
        self.give(space, thing)
        if thing["kind"] == "ValidatingAdmissionPolicy":
            self.give(space, {"apiVersion": thing["apiVersion"], "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": space},
                              "spec": {"policyName": space, "validationActions": ["Deny"], "matchResources": here}})

    def ready(self, space, kind):
        status = json.loads(self.kubectl("get", kind, "a", "-n", space, "-o", "json")).get("status", {})
        return next((c for c in status.get("conditions", []) if c["type"] == "Ready"), {})

    def says(self, number):
        name, _, kind, _, words = CASES[number]
        seen = {}

        def said():
            seen.update(self.ready(self.spaces[number], kind))
            return seen.get("status") == "False" and all(word in seen["reason"] + " " + seen["message"] for word in words)
        assert wire.until(said, PATIENCE_S, 0.3), f"{name}: {words} not in {seen}"
        print(f"  {name}: {seen['message'][:300]}")

    def forgets(self):
        """The quota is raised: the pod is made, and the condition follows it."""
        space = self.spaces[1]
        self.kubectl("delete", "resourcequota", "it", "-n", space)
        # The StatefulSet controller's own backoff may be minutes by now; a change of the object ends it.
        self.kubectl("annotate", "statefulset", "a", "-n", space, "again=now")
        wire.until(lambda: "FailedCreate" != self.ready(space, "Agent").get("reason"), PATIENCE_S, 0.3)
        seen = self.ready(space, "Agent")
        assert "quota" not in seen["message"], seen

    def reads_events(self):
        log = pathlib.Path(self.folder, "operator.log").read_text(encoding="utf-8")
        assert "Events cannot be read" not in log, log[-500:]

    def clean(self):
        for kind in ("validatingwebhookconfiguration", "validatingadmissionpolicybinding", "validatingadmissionpolicy"):
            self.kubectl("delete", kind, *self.spaces, "--ignore-not-found")
        for kind in ("clusterrole", "clusterrolebinding"):
            self.kubectl("delete", kind, self.namespace, "--ignore-not-found")
        self.kubectl("delete", "namespace", *self.spaces, "--ignore-not-found", "--wait=false")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Causes(asked.kubeconfig, asked.kubectl, folder)
        story = [("start", t.start)]
        story += [(case[0], lambda number=number: t.says(number)) for number, case in enumerate(CASES)]
        story += [("forgets", t.forgets), ("reads Events with its own rights", t.reads_events), ("clean", t.clean)]
        return run(t, story)


if __name__ == "__main__":
    sys.exit(main())
