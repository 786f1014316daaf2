#!/usr/bin/env python3
"""Checks /metrics of the three programs with promtool: names, units and types by Prometheus' rules.

    e2e/observability/metrics_test.py --kubeconfig FILE [--kubectl PATH] [--promtool PATH]

Uses its own namespace with one Agent; the CRDs stay installed. The last line is "N passed, M failed".
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
import uuid

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import crds  # noqa: E402
import wire  # noqa: E402
from programs import ROOT, Program, render, server, sidecar  # noqa: E402

NAMESPACE = "metrics-" + uuid.uuid4().hex[:6]
AGENT = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": "coder"},
         "spec": {"image": "example/agent:0", "memory": {"serverRef": "agent-memory"}}}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--promtool", default="promtool")
    asked = options.parse_args()
    def kubectl(*words, given=None):
        subprocess.run([asked.kubectl, f"--kubeconfig={asked.kubeconfig}", *words], check=True, capture_output=True, text=True, input=given)
    crds.install([asked.kubectl, f"--kubeconfig={asked.kubeconfig}"])
    kubectl("create", "namespace", NAMESPACE)
    kubectl("create", "-n", NAMESPACE, "-f", "-", given=json.dumps(AGENT))
    started, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            started.append(server(folder).start())
            render(os.path.join(ROOT, "config/samples/agent.yaml"), folder, url=f"http://{started[0].api}")
            started.append(sidecar(folder, os.path.join(folder, "policy.json")).start())
            hook = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "why does the build fail?"}
            status, said = wire.ask(started[1].api, "POST", "/v1/hooks", hook)
            assert status == 200, said
            started.append(Program("agent-memory-operator", [f"--kubeconfig={asked.kubeconfig}", f"--namespaces={NAMESPACE}",
                                                             f"--lease={NAMESPACE}/operator"],
                                   os.path.join(folder, "operator.log")).start())
            looked = 'controller_runtime_reconcile_total{controller="agent",result="success"}'
            assert wire.until(lambda: looked in wire.ask(started[2].admin, "GET", "/metrics")[1], 180), "the operator never worked"
            for program in started:
                metrics = urllib.request.urlopen(f"http://{program.admin}/metrics", timeout=60).read()
                done = subprocess.run([asked.promtool, "check", "metrics"], input=metrics, capture_output=True, check=False)
                if done.returncode or metrics.count(b"# TYPE") < 10:
                    failed += 1
                    print(f"FAILED {program.name}: {done.stderr.decode() or done.stdout.decode() or metrics.decode()}")
        finally:
            for program in started:
                program.kill()
            kubectl("delete", "namespace", NAMESPACE, "--wait=false")
    print(f"{len(started) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
