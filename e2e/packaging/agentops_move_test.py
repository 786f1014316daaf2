#!/usr/bin/env python3
"""Runs docs/agentops.md, command by command, on an API server that has CRDs, Agents, a memory service and a Helm
release shaped like those of AgentOps. No node: where the page forwards ports this test starts our server and a fake
of the memory service, and puts their addresses into the commands.

    e2e/packaging/agentops_move_test.py [--kubectl PATH] [--helm PATH]

Starts its own API server, and removes it. The last line is "N passed, M failed".
"""
import argparse
import http.server
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
from operators import PATIENCE_S, Cluster  # noqa: E402
from programs import Program, bin_folder  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/agentops.md"
GROUP, SPACE = "agents.agentops.io", "agents"
AUDIENCE = f"agent-memory.{SPACE}.agent-memory"
KINDS = {"Agent": "agents", "AgentTool": "agenttools", "AgentRun": "agentruns", "Channel": "channels"}
SPEC = {"mode": "daemon", "image": "ghcr.io/example/agent-runtime:1", "model": "anthropic/claude", "primaryProvider": "anthropic",
        "providerRefs": [{"name": "anthropic"}], "temperature": 0.2, "maxSteps": 50, "builtinTools": ["bash", "read"],
        "systemPrompt": "You build.", "tools": [{"name": "kubectl"}], "storage": {"size": "1Gi"},
        "memory": {"serverRef": "agentops-memory", "project": "builds", "contextLimit": 5, "autoSummarize": True,
                   "autoSave": True, "autoSearch": True},
        "toolHooks": {"memorySaveRules": [{"tool": "bash", "matchOutput": "error|panic", "type": "bugfix", "scope": "project"}],
                      "contextInjectTools": [{"tool": "bash", "query": "from_tool_args", "limit": 3}]}}


def crd(kind, plural):
    """A CRD of AgentOps: the group, names and version of ours, another schema, none of our labels."""
    open_object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}", "annotations": {"controller-gen.kubebuilder.io/version": "v0.17.0"}},
            "spec": {"group": GROUP, "scope": "Namespaced",
                     "names": {"kind": kind, "listKind": kind + "List", "plural": plural, "singular": kind.lower()},
                     "versions": [{"name": "v1alpha1", "served": True, "storage": True, "subresources": {"status": {}},
                                   "additionalPrinterColumns": [{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}],
                                   "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": open_object, "status": open_object}}}}]}}


def workload(name, image):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": SPACE, "labels": labels},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"containers": [{"name": "it", "image": image}]}}}}


def observation(number, **more):
    return {"id": number, "session_id": "s1", "type": "decision", "title": f"Choice {number}", "content": f"Because of {number}",
            "tags": [], "project": "builds", "scope": "project", "revision_count": 1, "duplicate_count": 1,
            "created_at": "2026-04-12T10:00:00Z", "updated_at": "2026-04-12T10:00:00Z", **more}


class OldMemory:
    """A fake memory service that answers GET /export as on the API page of AgentOps."""

    def __init__(self):
        self.rows = [observation(n) for n in (3, 4, 7)]
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                sessions = [{"id": "s1", "project": "builds", "started_at": "2026-04-12T09:00:00Z", "message_count": 0}]
                body = json.dumps({"exported_at": "2026-04-12T12:00:00Z", "sessions": sessions, "observations": outer.rows}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"localhost:{self.server.server_port}"


class Move(Cluster):
    def __init__(self, kubeconfig, asked, folder):
        super().__init__(kubeconfig, asked.kubectl, folder, "move")
        self.work = os.path.join(folder, "work")
        os.mkdir(self.work)
        # The page's commands run at a checkout's root.
        for name in ("charts", "crds"):
            os.symlink(ROOT / name, os.path.join(self.work, name))
        self.path = os.pathsep.join([os.path.dirname(os.path.abspath(asked.kubectl)) if "/" in asked.kubectl else "",
                                     os.path.dirname(os.path.abspath(asked.helm)) if "/" in asked.helm else "",
                                     os.path.abspath(bin_folder()), os.environ["PATH"]])
        self.blocks = re.findall(r"^```sh *(\S*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
        self.plain = [text for name, text in self.blocks if not name]
        self.old, self.server = OldMemory(), None

    def named(self, name):
        return next(text for found, text in self.blocks if found == name)

    def do(self, block):
        """Runs a block of the page → its output."""
        text = block.replace("localhost:17437", self.old.address).replace("localhost:27437", self.server.api if self.server else "")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.work, capture_output=True, text=True, timeout=600, check=False,
                              env={**os.environ, "PATH": self.path, "KUBECONFIG": self.kubeconfig})
        if done.returncode:
            raise RuntimeError(f"{block.splitlines()[0]} …: {(done.stderr or done.stdout).strip()[-500:]}")
        return done.stdout

    def copy(self):
        return json.loads(self.do(self.named("copy")))

    def get(self, *what):
        return json.loads(self.kubectl("get", *what, "-n", SPACE, "-o", "json"))

    def agentops(self):
        """Creates the objects that AgentOps leaves in a cluster."""
        self.kubectl("create", "namespace", SPACE)
        self.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [crd(*k) for k in KINDS.items()]}))
        served = lambda: "agents" in self.kubectl("api-resources", f"--api-group={GROUP}", "-o", "name")
        assert wire.until(served, PATIENCE_S, 0.2)
        agents = [{"apiVersion": f"{GROUP}/v1alpha1", "kind": "Agent", "metadata": {"name": name, "namespace": SPACE}, "spec": spec}
                  for name, spec in (("builder", SPEC), ("odd", {**SPEC, "memory": {**SPEC["memory"], "contextLimit": 99}}))]
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "agentops-memory", "namespace": SPACE, "labels": {"app": "agentops-memory"}},
                   "spec": {"selector": {"app": "agentops-memory"}, "ports": [{"name": "http", "port": 7437}]}}
        others = [workload(n, f"ghcr.io/example/{n}:1") for n in ("agentops-memory", "agentops-operator", "builder")]
        apply = lambda: self.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [*agents, service, *others]}))
        tried = lambda: not self.fails(apply)  # discovery may lag
        assert wire.until(tried, PATIENCE_S, 0.5)
        assert wire.until(lambda: not self.fails(lambda: self.get("serviceaccount", "default")), PATIENCE_S, 0.2)
        self.kubectl("patch", "agent", "builder", "-n", SPACE, "--subresource=status", "--type=merge", "-p", '{"status": {"phase": "Running"}}')

    @staticmethod
    def fails(call):
        try:
            call()
        except RuntimeError:
            return True
        return False

    def serve(self):
        """Starts the server with the arguments of the chart's StatefulSet, except folders and addresses."""
        arguments = self.get("statefulset", "agent-memory")["spec"]["template"]["spec"]["containers"][0]["args"]
        kept = [a for a in arguments if a.startswith(("--auth=", "--audience=", "--anonymous"))]
        assert f"--audience={AUDIENCE}" in [a.split(",")[0] for a in kept], arguments
        self.server = Program("agent-memory-server", [*kept, f"--kubeconfig={self.kubeconfig}", f"--data-dir={self.work}/memory"],
                              os.path.join(self.folder, "server.log"))
        self.server.start()
        self.started.append(self.server)

    def memories(self):
        """The ids of the memories that a runtime without a token finds."""
        status, found = wire.ask(self.server.api, "GET", "/observations/recent?project=builds&limit=100")
        assert status == 200, found
        return sorted(o["id"] for o in found)


def memories_move_while_nothing_writes(t):
    t.do(t.plain[0])
    t.serve()
    admitted = t.get("networkpolicy", "agent-memory")["spec"]["ingress"][0]["from"]
    assert all(p.get("namespaceSelector", {"matchLabels": {"kubernetes.io/metadata.name": SPACE}})["matchLabels"] for p in admitted), admitted
    t.do(t.plain[1])
    assert t.get("deployment", "builder")["spec"]["replicas"] == 0
    answer = t.copy()
    assert answer["imported_observations"] == 3 and not answer["errors"], answer
    assert t.memories() == [3, 4, 7] and t.copy()["imported_observations"] == 0
    assert not t.get("crd", f"agents.{GROUP}")["metadata"].get("labels"), "the CRDs were touched"


def the_name_is_switched_and_the_runtimes_return(t):
    t.do(t.plain[2])
    service = t.get("service", "agentops-memory")
    pod = t.get("statefulset", "agent-memory")["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= pod.items() and service["spec"]["ports"][0]["port"] == 7437, service["spec"]
    t.do(t.plain[2])  # a second time changes nothing
    assert json.loads(pathlib.Path(t.work, "agentops-service.json").read_text(encoding="utf-8"))["spec"]["selector"] == {"app": "agentops-memory"}
    t.do(t.plain[3])
    assert [t.get("deployment", n)["spec"]["replicas"] for n in ("agentops-memory", "builder")] == [0, 1]


def the_name_goes_back_and_comes_again(t):
    t.do(t.named("back-1"))
    assert t.get("service", "agentops-memory")["spec"]["selector"] == {"app": "agentops-memory"}
    for block in t.plain[2:4]:
        t.do(block)
    assert t.get("service", "agentops-memory")["metadata"]["labels"]["app.kubernetes.io/instance"] == "agent-memory"


def what_does_not_fit_is_named(t):
    told = t.do(t.plain[4])
    assert "agent.agents.agentops.io/builder fits" in told and "odd does not fit" in told, told
    kept = json.loads(pathlib.Path(t.work, "agentops-crds.json").read_text(encoding="utf-8"))["items"]
    assert len(kept) == len(KINDS), kept
    t.kubectl("patch", "agent", "odd", "-n", SPACE, "--type=merge", "-p", '{"spec": {"memory": {"contextLimit": 9}}}')
    assert "does not" not in t.do(t.plain[4])


def the_operator_takes_over_and_every_agent_stays(t):
    before = {a["metadata"]["uid"]: a["spec"] for a in t.get("agents")["items"]}
    t.do(t.plain[5])
    after = {a["metadata"]["uid"]: a["spec"] for a in t.get("agents")["items"]}
    for uid, spec in before.items():
        assert {k: after[uid][k] for k in spec if k not in ("toolHooks", "memory", "storage")} == {
            k: v for k, v in spec.items() if k not in ("toolHooks", "memory", "storage")}, after[uid]
        assert spec["memory"].items() <= after[uid]["memory"].items()
    assert t.get("crd", f"agents.{GROUP}")["metadata"]["labels"]["app.kubernetes.io/part-of"] == "agent-memory"
    assert t.get("crd", f"channels.{GROUP}"), "what is not ours stays"
    arguments = [f"--kubeconfig={t.kubeconfig}", f"--namespaces={SPACE}"]  # and no --adopt-crds
    operator = Program("agent-memory-operator", arguments, os.path.join(t.folder, "operator.log"))
    t.started.append(operator.start())
    t.seconds_until(lambda: not t.fails(lambda: t.get("statefulset", "builder")))
    status = lambda: t.get("agent", "builder").get("status", {})
    resolved = lambda: any(c["type"] == "MemoryResolved" and c["status"] == "True" for c in status().get("conditions", []))
    t.seconds_until(resolved)
    assert status()["memory"]["url"] == f"http://agentops-memory.{SPACE}.svc.cluster.local:7437", status()
    said = json.loads(t.get("configmap", "builder-agent")["data"]["agent.json"])
    assert said["model"] == SPEC["model"] and said["tools"] == SPEC["tools"], said
    operator.kill()


def the_operator_goes_back_and_every_agent_stays(t):
    before = {a["metadata"]["uid"] for a in t.get("agents")["items"]}
    t.do(t.named("back-2"))
    assert {a["metadata"]["uid"] for a in t.get("agents")["items"]} == before
    found = t.get("crd", f"agents.{GROUP}")
    assert found["spec"]["versions"][0]["additionalPrinterColumns"][0]["name"] == "Phase", found["spec"]["versions"][0]["additionalPrinterColumns"]
    assert "labels" not in found["metadata"] and t.get("deployment", "agentops-operator")["spec"]["replicas"] == 1
    assert not t.get("statefulsets", "-l", "agents.agentops.io/agent")["items"]


STORY = (memories_move_while_nothing_writes, the_name_is_switched_and_the_runtimes_return, the_name_goes_back_and_comes_again,
         what_does_not_fit_is_named, the_operator_takes_over_and_every_agent_stays, the_operator_goes_back_and_every_agent_stays)


def tell(t):
    t.agentops()
    passed = 0
    try:
        for test in STORY:  # each continues from the state after the one before
            test(t)
            passed += 1
    except (AssertionError, RuntimeError, subprocess.SubprocessError, OSError) as wrong:
        print(f"FAILED {STORY[passed].__name__}: {wrong}")
    finally:
        for program in t.started:
            program.kill()
    print(f"{passed} passed, {len(STORY) - passed} failed")
    return 0 if passed == len(STORY) else 1


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--helm", default="helm")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "api")
        try:
            up = subprocess.run([str(ROOT / "e2e/cluster/up"), "--api-only", "--with-controller-manager", "--state", state],
                                capture_output=True, text=True, timeout=6000, check=True)
            return tell(Move(up.stdout.strip().splitlines()[-1], asked, folder))
        finally:
            subprocess.run([str(ROOT / "e2e/cluster/down"), "--purge", "--state", state], check=False, timeout=120, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
