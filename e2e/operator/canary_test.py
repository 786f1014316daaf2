#!/usr/bin/env python3
"""Checks that `helm test` reports whether the product works: the chart's canary on a real API server with an operator,
with the rights of its ServiceAccount. This test plays the kubelet: it runs the command of the canary's pod, and
writes the statuses of pods. e2e/story runs the canary on a node with a kubelet.

    e2e/operator/canary_test.py --kubeconfig FILE [--kubectl PATH] [--helm PATH]

Needs e2e/cluster/up --api-only --with-controller-manager. Uses its own namespace; CRDs that existed before stay.
The last line is "N passed, M failed".
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import wire  # noqa: E402
from operators import PATIENCE_S, Cluster, run  # noqa: E402
from programs import binary  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = str(ROOT / "charts/agent-memory")


class Canary(Cluster):
    def __init__(self, kubeconfig, kubectl, helm, folder):
        super().__init__(kubeconfig, kubectl, folder, "canary")
        self.helm = [helm, f"--kubeconfig={kubeconfig}", "-n", self.namespace]
        self.name = f"{self.namespace}-canary"

    def chart(self, *arguments, must=True):
        done = subprocess.run([*self.helm, *arguments], capture_output=True, text=True, timeout=360, check=False)
        if must and done.returncode:
            raise RuntimeError(f"helm {arguments[0]}: {done.stderr.strip()[-300:]}")
        return done

    def objects(self, kind, *more):
        return json.loads(self.kubectl("get", kind, "-n", self.namespace, "-o", "json", *more))["items"]

    def tell(self, pod, phase, code, waiting=None):
        """Writes the status of a pod like a kubelet."""
        state = {"waiting": waiting} if waiting else {"terminated": {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}}
        statuses = [{"name": c["name"], "image": c["image"], "imageID": "", "ready": False, "restartCount": 0, "state": state}
                    for c in pod["spec"]["containers"]]
        self.kubectl("patch", "pod", pod["metadata"]["name"], "-n", self.namespace, "--subresource=status", "--type=merge",
                     "-p", json.dumps({"status": {"phase": phase, "containerStatuses": statuses}}))

    def fly(self, pod, *more):
        """Runs the command of the canary's pod as its ServiceAccount → (exit code, stdout, stderr)."""
        container, fields = pod["spec"]["containers"][0], {"metadata.name": self.name, "metadata.namespace": self.namespace,
                                                           "metadata.uid": pod["metadata"].get("uid", "")}
        environment = {e["name"]: fields[e["valueFrom"]["fieldRef"]["fieldPath"]] for e in container["env"]}
        done = subprocess.run([binary("agent-memory-operator"), *container["args"], *more,
                               f"--kubeconfig={self.kubeconfig_of(pod['spec']['serviceAccountName'])}"],
                              env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def pod_of_run(self):
        """A pending pod of a run, or None; the ended or deleted pod of the test before may still exist."""
        pods = self.objects("pods", "-l", "agents.agentops.io/run")
        return next((p for p in pods if p["status"]["phase"] == "Pending" and not p["metadata"].get("deletionTimestamp")), None)

    def serve_runs(self, end):
        """Starts a thread that calls `end` with the pod of a run until `end` returns True."""
        def look():
            try:
                pod = self.pod_of_run()
                return pod is not None and end(pod)
            except RuntimeError:  # the pod is gone
                return False
        thread = threading.Thread(target=wire.until, args=(look, PATIENCE_S, 0.3), daemon=True)
        thread.start()
        return thread

    def ended_well(self, pod):
        self.tell(pod, "Succeeded", 0)
        return True

    def has_no_image(self, pod):
        self.tell(pod, "Pending", 0, {"reason": "ImagePullBackOff", "message": "no such image"})
        return True

    def failed(self, pod):
        self.tell(pod, "Failed", 3)
        return True

    def left(self):
        """The objects that canaries created and did not delete."""
        return [o["metadata"]["name"] for kind in ("agents", "agentruns") for o in self.objects(kind)
                if o["metadata"]["name"].startswith("canary-")]

    def rendered(self):
        """Applies the other objects of the test without `helm test` → the canary's pod."""
        hooks = self.chart("get", "hooks", self.namespace).stdout
        others = [d for d in hooks.split("---\n") if d.strip() and "\nkind: Pod\n" not in d]
        self.kubectl("apply", "-f", "-", given="---\n".join(others))
        pod = next(d for d in hooks.split("---\n") if "\nkind: Pod\n" in d)
        return json.loads(self.kubectl("create", "--dry-run=client", "-o", "json", "-f", "-", given=pod))


def without_an_operator_it_says_so(t):
    t.chart("install", t.namespace, CHART, "--take-ownership")
    told(t, t.rendered(), ["no operator has reconciled Agent", "--namespaces"])
    assert not t.left()


def helm_test_passes_and_leaves_nothing(t):
    assert t.operator("it").ready(PATIENCE_S)
    ends, flown = t.serve_runs(t.ended_well), []

    def be_the_kubelet():
        pod = next((p for p in t.objects("pods") if p["metadata"]["name"] == t.name), None)
        if pod is None:
            return False
        flown.append(t.fly(pod))
        t.tell(pod, "Failed" if flown[0][0] else "Succeeded", flown[0][0])
        return True
    kubelet = threading.Thread(target=wire.until, args=(be_the_kubelet, PATIENCE_S, 0.3), daemon=True)
    kubelet.start()
    done = t.chart("test", t.namespace, must=False)
    kubelet.join(PATIENCE_S)
    ends.join(PATIENCE_S)
    assert done.returncode == 0 and "Phase:          Succeeded" in done.stdout, (done.stdout[-400:], done.stderr[-400:], flown)
    code, out, _ = flown[0]
    assert code == 0 and "Completed" in out and "ended well" in out, out
    assert not t.left()
    assert t.name not in [o["metadata"]["name"] for kind in ("serviceaccounts", "roles", "rolebindings", "pods") for o in t.objects(kind)]


def a_run_that_fails_is_told(t):
    pod, ends = t.rendered(), t.serve_runs(t.failed)
    code, _, error = t.fly(pod)
    ends.join(PATIENCE_S)
    assert code == 1 and "FAILED" in error and "AgentFailed: the agent ended with exit code 3" in error, error
    assert not t.left()


def told(t, pod, words, *more, kubelet=None):
    """Asserts that the canary fails with these words. Retries with longer timeouts, for slow machines."""
    for timeout_s in (8, 30, 100):
        ends = t.serve_runs(kubelet) if kubelet else None
        code, _, error = t.fly(pod, f"--timeout={timeout_s}s", *more)
        if ends:
            ends.join(PATIENCE_S)
        if code == 1 and all(word in error for word in words):
            return
    raise AssertionError(f"{code}: {error}")


def what_keeps_a_run_from_starting_is_told(t):
    pod = t.rendered()
    told(t, pod, ["has not ended in time", "ImagePullBackOff"], kubelet=t.has_no_image)
    told(t, pod, ["MemoryNotResolved", "nobody"], "--server-ref=nobody")
    code, _, error = t.fly(pod, "--namespace=" + t.namespace + "-none")
    assert code == 1 and "is forbidden" in error, error
    assert not t.left()


def it_may_do_nothing_else(t):
    t.rendered()
    who = f"--as=system:serviceaccount:{t.namespace}:{t.name}"
    said = t.kubectl("auth", "can-i", "--list", "-n", t.namespace, who)
    mine = [line.split() for line in said.splitlines() if "agentops" in line]
    assert len(mine) == 2 and all(line[-3:] == ["[get", "create", "delete]"] for line in mine), mine
    listed = {line.split()[0] for line in said.splitlines()[1:] if line[0] != " "}
    assert not {"secrets", "pods", "configmaps"} & listed, listed


def it_goes_where_the_operator_serves(t):
    def rendered(*settings):
        text = t.chart("template", "x", CHART, "--kube-version=1.36.0", "-s", "templates/tests/canary.yaml", *settings).stdout
        role = next(d for d in text.split("---\n") if "\nkind: Role\n" in d)
        return re.search(r"\n  namespace: (\S+)", role)[1], re.findall(r"- (--(?:namespace|server-ref)=\S+)", text)
    own = t.namespace
    assert rendered() == (own, [f"--namespace={own}", "--server-ref=x"])
    assert rendered(f"--set=namespaces={{a,{own}}}")[0] == own
    assert rendered("--set=namespaces={a,b}") == ("a", ["--namespace=a"]), "the server lets nobody of a in"
    assert rendered("--set=namespaces={a,b}", "--set=memory.allowedNamespaces={a}") == ("a", ["--namespace=a", f"--server-ref={own}/x"])
    assert rendered("--set=memory.enabled=false")[1] == [f"--namespace={own}"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--helm", default="helm")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Canary(asked.kubeconfig, asked.kubectl, asked.helm, folder)
        tests = (without_an_operator_it_says_so, helm_test_passes_and_leaves_nothing, a_run_that_fails_is_told,
                 what_keeps_a_run_from_starting_is_told, it_may_do_nothing_else, it_goes_where_the_operator_serves)
        try:
            return run(t, [(test.__name__, lambda test=test: test(t)) for test in tests])
        finally:
            t.chart("uninstall", t.namespace, must=False)
            subprocess.run([*t.command, "annotate", "-k", str(ROOT / "crds"), "meta.helm.sh/release-name-", "meta.helm.sh/release-namespace-"], capture_output=True, check=False)
            subprocess.run([*t.command, "label", "-k", str(ROOT / "crds"), "app.kubernetes.io/managed-by-"], capture_output=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
