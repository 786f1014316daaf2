#!/usr/bin/env python3
"""Checks the verdict of kstatus, by which GitOps tools judge objects, on our kinds at every step of their lives: an
operator on a real API server with controllers; this test plays the kubelet.

    e2e/operator/kstatus_test.py --kubeconfig FILE [--kubectl PATH]

Needs Go, for e2e/operator/kstatus (built once, into the cache of e2e/cluster), and e2e/cluster/up --api-only
--with-controller-manager. The last line is "N passed, M failed".
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import wire  # noqa: E402
from operators import PATIENCE_S, Cluster, run  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / "kstatus"
API = "agents.agentops.io/v1alpha1"


def judge():
    """→ the path of the program, which is built if missing."""
    text = b"".join((SOURCE / name).read_bytes() for name in ("main.go", "go.mod", "go.sum"))
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "agent-memory-e2e"
    program = cache / f"kstatus-{hashlib.sha256(text).hexdigest()[:8]}"
    if not program.exists():
        go = shutil.which("go") or "/usr/local/go/bin/go"
        made = program.with_suffix(f".{os.getpid()}")
        done = subprocess.run([go, "build", "-trimpath", "-o", str(made), "."], cwd=SOURCE, capture_output=True, text=True, timeout=900, check=False,
                              env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "auto", "GOFLAGS": "-buildvcs=false"})
        if done.returncode:
            raise SystemExit(f"e2e/operator/kstatus does not build: {done.stderr.strip()[-300:]}")
        made.rename(program)
    return str(program)


class Life(Cluster):
    def __init__(self, kubeconfig, kubectl, folder):
        super().__init__(kubeconfig, kubectl, folder, "kstatus")
        self.judge, self.leader = judge(), None

    def said(self, kind, name):
        """→ "Status: message" of kstatus."""
        found = json.dumps(json.loads(self.kubectl("get", kind, name, "-n", self.namespace, "-o", "json")))
        answer = json.loads(subprocess.run([self.judge], input=found + "\n", capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout)
        return f"{answer['status']}: {answer['message']}"

    def becomes(self, kind, name, status, words=""):
        fits = lambda: (said := self.said(kind, name)).startswith(status + ":") and words in said
        assert wire.until(fits, PATIENCE_S, 0.3), f"{kind} {name} is {self.said(kind, name)}, not {status} {words}"

    def give(self, kind, name, spec, version=API):
        self.kubectl("apply", "-n", self.namespace, "-f", "-", given=json.dumps(
            {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}))

    def pod(self, selector):
        """A pending pod that is not being deleted, or None."""
        found = json.loads(self.kubectl("get", "pods", "-n", self.namespace, "-l", selector, "-o", "json"))["items"]
        return next((p for p in found if not p["metadata"].get("deletionTimestamp") and p["status"]["phase"] == "Pending"), None)

    def tell(self, selector, phase, state, image=None, ready=False):
        """Writes the status of that pod and its containers like a kubelet, as soon as the pod exists."""
        def there():
            pod = self.pod(selector)
            return pod if pod and image in (None, pod["spec"]["containers"][0]["image"]) else None
        pod = wire.until(there, PATIENCE_S, 0.3)
        assert pod, f"no pod of {selector} with {image}"
        of = lambda containers, now: [{"name": c["name"], "image": c["image"], "imageID": "", "ready": "running" in now, "started": "running" in now,
                                       "restartCount": 0, "state": now} for c in containers]
        began = {"running": {"startedAt": "2026-04-12T10:00:00Z"}}
        status = {"phase": phase, "containerStatuses": of(pod["spec"]["containers"], state),
                  "initContainerStatuses": of(pod["spec"].get("initContainers", []), began if phase != "Failed" else state),
                  "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": "2026-04-12T10:00:00Z"}]}
        self.kubectl("patch", "pod", pod["metadata"]["name"], "-n", self.namespace, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))

    def runs(self, name, image):
        self.tell(f"agents.agentops.io/agent={name}", "Running", {"running": {"startedAt": "2026-04-12T10:00:00Z"}}, image, ready=True)


def what_nobody_has_looked_at_is_in_progress(t):
    t.give("AgentRun", "once", {"agentRef": "task"})
    t.give("MemoryServer", "shared", {})
    for kind, name in (("agent", "coder"), ("agentrun", "once"), ("memoryserver", "shared")):
        t.becomes(kind, name, "InProgress")


def an_agent_without_its_service_is_in_progress(t):
    t.leader = t.operator("it")
    t.becomes("agent", "coder", "InProgress", "agent-memory")
    t.becomes("agentrun", "once", "InProgress", "task")


def a_ready_agent_is_current(t):
    t.give("Service", "agent-memory", {"ports": [{"name": "memory", "port": 7437}]}, "v1")
    t.becomes("agent", "coder", "InProgress", "coder-0")
    t.runs("coder", "example/agent:0")
    t.becomes("agent", "coder", "Current")


def an_edit_is_in_progress_from_its_first_moment(t):
    t.leader.process.send_signal(signal.SIGSTOP)
    t.edit("example/agent:1")
    assert t.said("agent", "coder").startswith("InProgress:"), t.said("agent", "coder")
    t.leader.process.send_signal(signal.SIGCONT)
    t.seconds_until(lambda: t.applied() == "example/agent:1")
    await_new_pod(t)
    t.runs("coder", "example/agent:1")
    t.becomes("agent", "coder", "Current")


def finish_pods_that_go(t):
    """Force-deletes terminating pods, since no kubelet confirms their end here. → all pods found"""
    pods = json.loads(t.kubectl("get", "pods", "-n", t.namespace, "-l", "agents.agentops.io/agent=coder", "-o", "json"))["items"]
    for pod in pods:
        if pod["metadata"].get("deletionTimestamp"):
            t.kubectl("delete", "pod", pod["metadata"]["name"], "-n", t.namespace, "--grace-period=0", "--force", "--ignore-not-found")
    return pods


def await_new_pod(t):
    there = lambda: finish_pods_that_go(t) and t.pod("agents.agentops.io/agent=coder")
    assert wire.until(there, PATIENCE_S, 0.3), "the pod was not made anew"


def a_broken_image_is_in_progress_and_heals(t):
    t.edit("example/agent:none")
    t.seconds_until(lambda: t.applied() == "example/agent:none")
    await_new_pod(t)
    t.tell("agents.agentops.io/agent=coder", "Pending", {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}, "example/agent:none")
    t.becomes("agent", "coder", "InProgress", "example/agent:none")
    t.edit("example/agent:2")
    await_new_pod(t)
    t.runs("coder", "example/agent:2")
    t.becomes("agent", "coder", "Current")


def what_needs_a_person_has_failed(t):
    t.kubectl("create", "configmap", "taken-policy", "-n", t.namespace)
    t.give("Agent", "taken", {"image": "example/agent:0", "memory": {"serverRef": "agent-memory"}})
    t.becomes("agent", "taken", "Failed", "taken-policy")
    t.kubectl("delete", "configmap", "taken-policy", "-n", t.namespace)
    t.kubectl("annotate", "agent", "taken", "-n", t.namespace, "again=yes")
    t.becomes("agent", "taken", "InProgress")


def a_run_is_in_progress_until_it_has_ended_well_or_failed(t):
    t.give("Agent", "task", {"mode": "task", "image": "example/agent:0"})
    t.becomes("agent", "task", "Current")
    for name, code, status in (("once", 0, "Current"), ("twice", 3, "Failed")):
        t.give("AgentRun", name, {"agentRef": "task"})
        mine = f"agents.agentops.io/run={name}"
        assert wire.until(lambda mine=mine: t.pod(mine), PATIENCE_S, 0.3), f"no pod of {mine}"
        t.becomes("agentrun", name, "InProgress")
        t.tell(mine, "Failed" if code else "Succeeded", {"terminated": {"exitCode": code}})
        t.becomes("agentrun", name, status)


def one_that_is_scaled_to_zero_is_current_once_its_pod_has_ended(t):
    scale = lambda to: t.kubectl("scale", "agent", "coder", "-n", t.namespace, f"--replicas={to}")
    scale(0)
    t.seconds_until(lambda: not finish_pods_that_go(t))
    t.becomes("agent", "coder", "Current")
    reason = t.kubectl("get", "agent", "coder", "-n", t.namespace, "-o", "jsonpath={.status.conditions[?(@.type=='Ready')].reason}")
    assert reason == "ScaledToZero", reason
    seen = json.loads(t.kubectl("get", "--raw", f"/apis/agents.agentops.io/v1alpha1/namespaces/{t.namespace}/agents/coder/scale"))
    assert not seen["spec"].get("replicas") and seen["status"]["selector"] == "agents.agentops.io/agent=coder", seen
    scale(1)
    t.becomes("agent", "coder", "InProgress", "coder-0")
    t.runs("coder", "example/agent:2")
    t.becomes("agent", "coder", "Current")


def what_is_being_deleted_is_terminating(t):
    t.kubectl("patch", "agent", "coder", "-n", t.namespace, "--type=merge", "-p", '{"metadata": {"finalizers": ["example.com/hold"]}}')
    t.kubectl("delete", "agent", "coder", "-n", t.namespace, "--wait=false")
    t.becomes("agent", "coder", "Terminating")
    t.kubectl("patch", "agent", "coder", "-n", t.namespace, "--type=merge", "-p", '{"metadata": {"finalizers": []}}')


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Life(asked.kubeconfig, asked.kubectl, folder)
        story = (what_nobody_has_looked_at_is_in_progress, an_agent_without_its_service_is_in_progress, a_ready_agent_is_current,
                 an_edit_is_in_progress_from_its_first_moment, a_broken_image_is_in_progress_and_heals, what_needs_a_person_has_failed,
                 a_run_is_in_progress_until_it_has_ended_well_or_failed,
                 one_that_is_scaled_to_zero_is_current_once_its_pod_has_ended, what_is_being_deleted_is_terminating)
        return run(t, [(test.__name__, lambda test=test: test(t)) for test in story])


if __name__ == "__main__":
    sys.exit(main())
