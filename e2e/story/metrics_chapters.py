"""A HorizontalPodAutoscaler on CPU works for pods with the sidecar, both of Agents and foreign. Needs a metrics-server,
which the clusters here do not have; AGENT_MEMORY_STORY_METRICS_SERVER names its program:

    go install sigs.k8s.io/metrics-server/cmd/metrics-server@v0.9.0

It runs beside the cluster, as a process of this machine."""
import json
import os
import socket
import subprocess
import tempfile

import wire
from foreign_chapters import AGENT, deployment, leave, names, runs
from node_chapters import ours
from on_cluster import LABEL, NAMESPACE, READY_S

PROGRAM = os.environ.get("AGENT_MEMORY_STORY_METRICS_SERVER", "")
# An autoscaler on CPU needs a request of every container: the agent's is set here, the sidecar's by the operator.
OWN = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": "scaled"},
       "spec": {"image": "agent-memory/sample-agent:dev", "storage": {"size": "16Mi", "retain": False},
                "resources": {"requests": {"cpu": "10m"}}, "memory": {"serverRef": "agent-memory"}}}
COMPUTED_S = 150  # the autoscaler runs every 15 s, and needs two measurements of the kubelet


class MetricsServer:
    """metrics-server as a process, and the objects by which the API server reaches it. While its APIService exists without
    the process, no namespace can be deleted: end() deletes the objects of start()."""

    def __init__(self, driver):
        self.driver, self.process = driver, None
        self.folder = tempfile.TemporaryDirectory()

    def start(self):
        config = os.path.join(self.folder.name, "kubeconfig")
        with open(config, "w", encoding="utf-8") as file:
            file.write(self.driver.kubectl("config", "view", "--raw", "--minify", "--flatten"))
        os.chmod(config, 0o600)
        port = free_port()
        log = os.path.join(self.folder.name, "log")
        with open(log, "wb") as file:
            self.process = subprocess.Popen(
                [PROGRAM, "--kubeconfig", config, "--authentication-kubeconfig", config, "--authorization-kubeconfig", config,
                 "--secure-port", str(port), "--cert-dir", self.folder.name, "--kubelet-insecure-tls",
                 "--kubelet-preferred-address-types", "InternalIP", "--metric-resolution", "10s", "--kubelet-request-timeout", "5s"],
                stdout=file, stderr=subprocess.STDOUT)
        self.driver.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [*self.objects(port)]}))

        def answers():
            return self.driver.try_kubectl("get", "--raw", "/apis/metrics.k8s.io/v1beta1/nodes")[0] == 0
        if not wire.until(answers, READY_S, 0.5):
            with open(log, encoding="utf-8", errors="replace") as file:
                raise SystemExit(f"{PROGRAM} does not answer in {READY_S} s: {file.read()[-1500:]}")

    def objects(self, port):
        node = self.driver.get("nodes")["items"][0]
        address = next(a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP")
        # The Service has no selector, since the program is no pod.
        place = {"name": "metrics-server", "namespace": NAMESPACE}
        yield {"apiVersion": "v1", "kind": "Service", "metadata": place, "spec": {"ports": [{"port": 443, "targetPort": port}]}}
        yield {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
               "metadata": {**place, "labels": {"kubernetes.io/service-name": "metrics-server"}},
               "ports": [{"port": port}], "endpoints": [{"addresses": [address]}]}
        yield {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1beta1.metrics.k8s.io"},
               "spec": {"group": "metrics.k8s.io", "version": "v1beta1", "insecureSkipTLSVerify": True, "groupPriorityMinimum": 100,
                        "versionPriority": 100, "service": place}}

    def end(self):
        self.driver.try_kubectl("delete", "apiservice", "v1beta1.metrics.k8s.io", "--ignore-not-found")
        for kind in ("service", "endpointslice"):
            self.driver.try_kubectl("delete", kind, "metrics-server", "--ignore-not-found")
        if self.process:
            self.process.terminate()
            self.process.wait(30)
        self.folder.cleanup()


def free_port():
    with socket.socket() as one:
        one.bind(("", 0))
        return one.getsockname()[1]


def autoscaler(kind, name):
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name}, "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": kind, "name": name}, "minReplicas": 1, "maxReplicas": 2,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 90}}}]}}


def autoscaling(story):
    c, driver = story.checks, story.driver
    c.chapter("q. A HorizontalPodAutoscaler on CPU computes, for an Agent's workload and for somebody else's")
    if not ours(driver):
        return c.say("not here: a process of this machine is not beside that cluster")
    driver.upgrade("foreignPods.enabled=true", "foreignPods.mode=auto")
    metrics = MetricsServer(driver)
    try:
        metrics.start()
        targets = (("StatefulSet", "scaled"), ("Deployment", "stranger"))
        driver.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
            OWN, AGENT, deployment("stranger", **{"agents.agentops.io/memory": "guest"}), *(autoscaler(*one) for one in targets)]}))
        driver.wait_ready(LABEL + "scaled")
        c.equal([names(driver.pod("scaled")), names(runs(driver, "stranger"))], [["memory"]] * 2, "both pods have the sidecar")
        for kind, name in targets:
            wire.until(lambda name=name: computed(driver, name) is not None, COMPUTED_S, 1)
            found = driver.get("hpa", name)
            c.that(computed(driver, name) is not None, f"{kind}/{name}: ScalingActive=True, CPU at {computed(driver, name)} % of what is requested",
                   found.get("status"))
            missing = [one for one in driver.get("events")["items"] if one["involvedObject"].get("kind") == "HorizontalPodAutoscaler"
                       and one["involvedObject"]["name"] == name and "missing request" in one.get("message", "")]
            c.equal([one["message"] for one in missing], [], "and no Event tells of a missing request")
        for line in driver.kubectl("top", "pods", "--containers", "-n", NAMESPACE).rstrip().split("\n")[:6]:
            c.say("| " + line)
    finally:
        driver.try_kubectl("delete", "hpa", "scaled", "stranger", "--ignore-not-found")
        driver.try_kubectl("delete", "agent", "scaled", "--ignore-not-found", "--timeout=300s")
        leave(story)
        metrics.end()


def computed(driver, name):
    """→ the autoscaler's current value, None while it has none."""
    status = driver.get("hpa", name).get("status", {})
    active = any(one["type"] == "ScalingActive" and one["status"] == "True" for one in status.get("conditions", []))
    values = [one["resource"]["current"].get("averageUtilization") for one in status.get("currentMetrics") or [] if one.get("resource")]
    return values[0] if active and values else None


METRICS_CHAPTERS = (autoscaling,) if PROGRAM else ()
