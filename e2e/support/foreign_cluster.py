"""Installs the policies for foreign pods and an operator on an API server, for their test and their benchmark.
All objects have a random name and class, so that other users of the same server are not affected."""
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import uuid

import crds
import wire
from programs import Program

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = ROOT / "config/overlays/foreign-pods/foreign-pods.yaml"
WEBHOOK = ROOT / "config/overlays/foreign-pods-webhook"
LABEL, CLASS = "agents.agentops.io/memory", "agents.agentops.io/class"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
AGENTS = "/apis/agents.agentops.io/v1alpha1/namespaces/{}/agents"
PATIENCE_S = 180


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """Calls go through `kubectl proxy`, which has the certificates. `mode`: policy, or webhook, where the API server
    calls the operator by a URL, since no Service has a network here."""

    def __init__(self, kubectl, kubeconfig, folder, mode="policy"):
        self.mode, self.url, self.more = mode, None, []
        self.kubectl, self.kubeconfig, self.folder = [kubectl, f"--kubeconfig={kubeconfig}"], kubeconfig, folder
        self.name = "foreign-" + uuid.uuid4().hex[:6]
        self.spaces, self.policies, self.program = [self.name, self.name + "-b"], [], None
        self.proxy = subprocess.Popen([*self.kubectl, "proxy", "--port=0"], stdout=subprocess.PIPE, text=True)
        port = int(re.search(r":(\d+)", self.proxy.stdout.readline())[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)

    def run(self, *arguments, given=None):
        done = subprocess.run([*self.kubectl, *arguments], input=given, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode:
            raise RuntimeError(f"kubectl {' '.join(arguments)[:200]}: {done.stderr.strip()[-400:]}")
        return done.stdout

    def call(self, method, path, body=None, kind="application/json"):
        """→ (status, decoded answer)"""
        return wire.on(self.connection, method, path, body, {"Content-Type": kind})

    def must(self, method, path, body=None, kind="application/json"):
        status, answer = self.call(method, path, body, kind)
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path}: {status} {str(answer)[:400]}")
        return answer

    def install(self):
        crds.install(self.kubectl)
        for space in self.spaces:
            self.must("POST", "/api/v1/namespaces", {"metadata": {"name": space, "labels": {
                "pod-security.kubernetes.io/enforce": "baseline"}}})
            self.must("POST", f"/api/v1/namespaces/{space}/serviceaccounts", {"metadata": {"name": "default"}})
        file = POLICIES if self.mode == "policy" else WEBHOOK / "foreign-pods.yaml"
        self.run("apply", "-f", "-", given=self.own(file.read_text()))
        if self.mode == "webhook":
            self.url = f"127.0.0.1:{free_port()}"
            self.run("apply", "-f", "-", given=json.dumps(self.configuration()))

    def own(self, text):
        return text.replace("agent-memory-foreign-pods", self.name)

    def configuration(self):
        """The chart's webhook configuration, for the test's namespaces and operator."""
        text = self.run("create", "--dry-run=client", "-o", "json", "-f", "-",
                        given=self.own((WEBHOOK / "injection-webhook.yaml").read_text().split("---\n", 1)[1]))
        found = json.loads(text)
        webhook = found["webhooks"][0]
        webhook["clientConfig"] = {"url": f"https://{self.url}/mutate"}
        webhook["namespaceSelector"] = {"matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "In", "values": self.spaces}]}
        return found

    def flags(self):
        """The operator's flags for the injection."""
        if self.mode == "policy":
            return [f"--injection-policy={self.name}"]
        return [f"--injection-webhook={self.name}", f"--webhook-listen={self.url}", "--webhook-hosts=127.0.0.1",
                f"--webhook-secret={self.name}/webhook", *self.more]

    def start(self):
        """Starts the operator; returns when it is ready."""
        if not self.program:
            self.program = Program("agent-memory-operator", [
                f"--kubeconfig={self.kubeconfig}", f"--class={self.name}", "--replaced-pods-per-minute=600", *self.flags()],
                os.path.join(self.folder, "operator.log"))
        self.program.start()
        if not wire.until(lambda: wire.ask(self.program.admin, "GET", "/readyz")[0] == 200, PATIENCE_S):
            raise SystemExit("the operator is not ready:\n" + self.program.tail())

    def agent(self, name, space=None, **spec):
        """The manifest of an Agent that serves foreign pods; `spec` replaces fields."""
        return {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent",
                "metadata": {"name": name, "namespace": space or self.name, "annotations": {CLASS: self.name}},
                "spec": {"image": "example/agent:1", "injection": {"foreignPods": True},
                         "memory": {"serverRef": "agent-memory"}, **spec}}

    def give(self, agent):
        self.must("POST", AGENTS.format(agent["metadata"]["namespace"]), agent)

    def pod(self, agent=None, name="p", space=None, **spec):
        labels = {LABEL: agent} if agent else {}
        return {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": space or self.name, "labels": labels},
                "spec": {"containers": [{"name": "app", "image": "app:1"}], **spec}}

    def owner(self, name):
        """Creates a ReplicaSet, for which no controller runs → its owner reference."""
        labels = {"app": name}
        made = self.must("POST", f"/apis/apps/v1/namespaces/{self.name}/replicasets", {
            "metadata": {"name": name}, "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}}})
        return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": made["metadata"]["uid"], "controller": True}

    def create(self, pod, dry=True):
        """→ (status, the pod or the message)"""
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods" + ("?dryRun=All" if dry else "")
        status, answer = self.call("POST", path, pod)
        return status, answer if status == 201 else answer["message"]

    def admitted(self, pod):
        status, answer = self.create(pod)
        assert status == 201, f"{status} {answer}"
        return answer

    def serves(self, agent, space=None):
        """Waits until the API server, which learns of bindings later, injects for that Agent."""
        def taken():
            status, answer = self.create(self.pod(agent, space=space))
            return status == 201 and "initContainers" in answer["spec"]  # also 201 while it knows no policy
        assert wire.until(taken, PATIENCE_S), f"{agent}: {self.create(self.pod(agent, space=space))}"

    def refuses(self, agent, space=None):
        refused = lambda: self.create(self.pod(agent, space=space))[0] == 403
        assert wire.until(refused, PATIENCE_S), self.create(self.pod(agent, space=space))

    def mutator(self, name, expression):
        """Creates a foreign policy that mutates the labelled pods of the test's namespace."""
        rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
        where = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.name}},
                 "objectSelector": {"matchExpressions": [{"key": LABEL, "operator": "Exists"}]}}
        self.policies.append(name)
        self.must("POST", f"{ADMISSION}/mutatingadmissionpolicies", {"metadata": {"name": name}, "spec": {
            "failurePolicy": "Fail", "reinvocationPolicy": "IfNeeded",
            "matchConstraints": {"resourceRules": rules, **where},
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}]}})
        self.must("POST", f"{ADMISSION}/mutatingadmissionpolicybindings", {"metadata": {"name": name}, "spec": {"policyName": name}})

    def unmutate(self):
        for name in self.policies:
            for kind in ("mutatingadmissionpolicybindings", "mutatingadmissionpolicies"):
                self.call("DELETE", f"{ADMISSION}/{kind}/{name}")
        self.policies = []

    def close(self):
        if self.program:
            self.program.kill()
        self.unmutate()
        for space in self.spaces:
            self.call("DELETE", AGENTS.format(space))
            self.call("DELETE", f"/api/v1/namespaces/{space}/pods?gracePeriodSeconds=0")
            self.call("DELETE", f"/api/v1/namespaces/{space}")
        for kind in ("mutatingwebhookconfigurations", "mutatingadmissionpolicies", "validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            self.call("DELETE", f"{ADMISSION}/{kind}/{self.name}")
        for binding in self.call("GET", f"{ADMISSION}/mutatingadmissionpolicybindings")[1].get("items", []):
            if binding["spec"]["policyName"] == self.name:
                self.call("DELETE", f"{ADMISSION}/mutatingadmissionpolicybindings/{binding['metadata']['name']}")
        self.proxy.terminate()
        self.proxy.wait()
