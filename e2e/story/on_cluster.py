"""The Driver on a real cluster: the chart installed with Helm, the Agents of config/samples, turns by
`kubectl exec`. Uses the namespace `agents`, which it creates and marks; never one that it did not create."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import programs
import wire
from driver import AGENTS, SAMPLES, Driver

NAMESPACE, RELEASE = "agents", "agent-memory"
NEXT_DOOR = "agents-next-door"  # another namespace that the server serves
AUDIENCE = f"agent-memory.{NAMESPACE}.{RELEASE}"
MARK = "agents.agentops.io/e2e-story"
LABEL = "agents.agentops.io/agent="
SERVER_LABEL = "app.kubernetes.io/instance=agent-memory,app.kubernetes.io/component=memory"
SIDECAR = "agent-memory-sidecar"
OPERATOR = "agent-memory-operator"
OPERATOR_LABEL = "app.kubernetes.io/instance=agent-memory,app.kubernetes.io/component=operator"
# Sends requests from inside a pod. They come by stdin, so that no list of processes shows their tokens.
ASK = """
import http.client, json, sys, urllib.parse
where = urllib.parse.urlsplit(sys.argv[1])
for line in sys.stdin:
    token, method, path, body = json.loads(line)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    step = "connecting"
    try:
        connection.connect()
        step = f"waiting for the answer, from {connection.sock.getsockname()[:2]}"
        connection.request(method, path, body, {"Authorization": "Bearer " + token} if token else {})
        answer = connection.getresponse()
        print(json.dumps({"status": answer.status, "body": answer.read().decode(errors="replace")}))
    except OSError as failure:
        print(json.dumps({"status": 0, "body": f"{method} {path}: {step}: {failure!r}"}))
"""
READY_S = 300
MIB = 1024


class KubectlFailed(Exception):
    pass


class OnCluster(Driver):
    policy_s = 90.0

    def __init__(self, context=None, keep=False):
        self.base = ["kubectl"] + (["--context", context] if context else [])
        self.helm = ["helm"] + (["--kube-context", context] if context else [])
        self.keep, self.made = keep, False
        self.ways = ["containers", "pods"]  # the ways in which kill_all kills, in order
        self.before, self.idle, self.tokens = {}, [], {}

    # --- kubectl -------------------------------------------------------------
    def try_kubectl(self, *arguments, given=None, timeout=600):
        """→ (exit code, stdout, stderr)."""
        done = subprocess.run([*self.base, "-n", NAMESPACE, *arguments], capture_output=True, text=True,
                              input=given, timeout=timeout, check=False)
        return done.returncode, done.stdout, done.stderr

    def kubectl(self, *arguments, given=None, timeout=600):
        code, out, error = self.try_kubectl(*arguments, given=given, timeout=timeout)
        if code:
            raise KubectlFailed(f"kubectl {' '.join(arguments)}: {error.strip() or out.strip()}")
        return out

    def get(self, *arguments):
        """→ the object, or None if it does not exist."""
        code, out, error = self.try_kubectl("get", *arguments, "-o", "json")
        if code and "NotFound" in error:
            return None
        if code:
            raise KubectlFailed(f"kubectl get {' '.join(arguments)}: {error.strip()}")
        return json.loads(out)

    def condition(self, agent, kind):
        found = self.get("agent", agent) or {}
        for condition in found.get("status", {}).get("conditions", []):
            if condition["type"] == kind:
                return condition
        return {}

    def pods(self, selector):
        return [p for p in self.get("pods", "-l", selector)["items"] if not p["metadata"].get("deletionTimestamp")]

    def pod(self, agent):
        found = self.pods(LABEL + agent)
        return found[0] if found else None

    def exec_agent(self, agent, *command, timeout=600):
        pod = self.pod(agent)
        return self.kubectl("exec", pod["metadata"]["name"], "-c", pod["spec"]["containers"][0]["name"], "--",
                            *command, timeout=timeout)

    # --- installing ----------------------------------------------------------
    def up(self):
        self.namespace()
        self.install()
        # The server's vocabulary of the table of token vectors takes 2 MiB.
        self.idle = self.measured({"agent-memory-server": 20, "agent-memory-operator": 20}, "idle")
        self.kubectl("apply", "-f", SAMPLES)
        for agent in AGENTS:
            self.wait_ready(LABEL + agent, 1)

    def install(self):
        self.must_helm("install", "--create-namespace", "--set", f"memory.allowedNamespaces={{{NEXT_DOOR}}},memory.aegis=true")

    def upgrade(self, *values):
        """Upgrades the release with more values, each "name=value"; returns when the changed pods are ready."""
        self.must_helm("upgrade", "--reuse-values", *(word for value in values for word in ("--set", value)))

    def must_helm(self, verb, *more):
        done = subprocess.run([*self.helm, verb, RELEASE, os.path.join(programs.ROOT, "charts/agent-memory"), "-n", NAMESPACE,
                               "--wait", "--timeout", f"{READY_S}s", *more], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"helm {verb} failed: {done.stderr.strip()}\n{self.words()}")

    def uninstall(self):
        return subprocess.run([*self.helm, "uninstall", RELEASE, "-n", NAMESPACE, "--wait", "--timeout", "60s"],
                              capture_output=True, text=True, check=False).returncode == 0

    def helm_test(self):
        """→ (passed, output)."""
        done = subprocess.run([*self.helm, "test", RELEASE, "-n", NAMESPACE, "--timeout", "300s"],
                              capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stdout + done.stderr

    def namespace(self):
        """Creates the namespaces. Removes those of an earlier story first; refuses to touch others."""
        left = [space for space in (NAMESPACE, NEXT_DOOR) if (found := self.get("namespace", space)) and self.ours(found)]
        if left:
            self.remove()
        self.made = True
        for space in (NAMESPACE, NEXT_DOOR):
            self.make(space)

    def make(self, space):
        self.kubectl("create", "namespace", space)
        self.kubectl("label", "namespace", space, MARK + "=yes", "pod-security.kubernetes.io/enforce=restricted")

    @staticmethod
    def ours(namespace):
        if MARK not in namespace["metadata"].get("labels", {}):
            raise SystemExit(f"namespace {namespace['metadata']['name']} is there and not made by the story: use another "
                             f"cluster, or label it {MARK}=yes to have it DELETED first")
        return True

    def remove(self):
        self.try_kubectl("delete", "agents", "--all", "-n", NEXT_DOOR, "--timeout=300s")
        self.try_kubectl("delete", "namespace", NEXT_DOOR, "--timeout=300s")
        self.try_kubectl("delete", "agents", "--all", "--timeout=300s")
        self.uninstall()
        self.try_kubectl("delete", "namespace", NAMESPACE, "--timeout=300s")

    def words(self):
        """The pods and the latest Events, for the message of a failed start."""
        return self.try_kubectl("get", "pods", "-o", "wide")[1] + self.try_kubectl(
            "get", "events", "--sort-by=.lastTimestamp")[1][-3000:]

    def down(self):
        if self.made and not self.keep:
            self.remove()
        elif self.made:
            print(f"\nThe story's namespace stays; 'kubectl delete namespace {NAMESPACE}' removes it.")

    # --- readiness -----------------------------------------------------------
    def wait_ready(self, selector, count=1, other_than=()):
        """Waits until `count` pods are ready whose containers are not among the ids `other_than`."""
        def there():
            pods = [p for p in self.pods(selector) if ready(p) and not set(containers(p)) & set(other_than)]
            return len(pods) >= count
        if not wire.until(there, READY_S, 0.3):
            raise SystemExit(f"pods of {selector} did not get ready in {READY_S} s\n{self.words()}")

    # --- what the chapters use -----------------------------------------------
    def memory_url(self):
        wire.until(lambda: self.status_url("coder"), READY_S, 0.2)
        return self.status_url("coder")

    def status_url(self, agent):
        return (self.get("agent", agent) or {}).get("status", {}).get("memory", {}).get("url", "")

    def turn(self, agent, conversation, prompt, tools="", marker="", end=False):
        out = self.exec_agent(agent, "python3", "/agent.py", "turn", "--conversation", conversation, "--prompt", prompt,
                              "--tools", tools, "--marker", marker, *(["--end"] if end else []))
        return [json.loads(line) for line in out.splitlines()]

    def ask(self, agent, method, path, body=None):
        more = ["--body", json.dumps(body)] if body is not None else []
        said = json.loads(self.exec_agent(agent, "python3", "/agent.py", "call", method, path, *more))
        return said["status"], wire.decode(said["body"].encode())

    def ask_server(self, method, path, body=None):
        return self.ask_server_as(self.token(), method, path, body)

    def token(self, space=NAMESPACE, audience=AUDIENCE, account="coder-agent"):
        """A token of a ServiceAccount, by default like that of the coder's sidecar; cached for five minutes."""
        made, token = self.tokens.get((space, audience, account), (0, ""))
        if time.monotonic() - made > 300 or not token:
            token = self.kubectl("create", "token", account, "-n", space, "--audience", audience).strip()
            self.tokens[space, audience, account] = time.monotonic(), token
        return token

    def ask_server_as(self, token, method, path, body=None):
        return self.ask_server_all([(token, method, path, body)])[0]

    def ask_server_all(self, requests):
        """Sends requests (token or "", method, path, body) from inside the coder's pod → answers."""
        lines = [json.dumps([token, method, path, None if body is None else json.dumps(body)])
                 for token, method, path, body in requests]
        said = self.kubectl("exec", "-i", "coder-0", "-c", "agent", "--", "python3", "-c", ASK, self.status_url("coder"),
                            given="\n".join(lines) + "\n")
        answers = [json.loads(line) for line in said.splitlines()]
        return [(answer["status"], wire.decode(answer["body"].encode())) for answer in answers]

    def kill_all(self):
        way = self.ways.pop(0) if len(self.ways) > 1 else self.ways[0]
        self.before = {s: [c for p in self.pods(s) for c in containers(p)] for s in self.selectors()}
        mine = [pid for s in self.selectors() for p in self.pods(s) for pid in host_processes(p["metadata"]["uid"])]
        if way == "containers" and mine:
            for pid in mine:
                os.kill(pid, signal.SIGKILL)
            return
        for selector in self.selectors():
            self.kubectl("delete", "pod", "-l", selector, "--grace-period=0", "--force")

    @staticmethod
    def selectors():
        return [SERVER_LABEL] + [LABEL + agent for agent in AGENTS]

    def start_again(self):
        for selector in self.selectors():
            self.wait_ready(selector, 1, self.before[selector])

    def kill_sidecar(self, agent):
        pod = self.pod(agent)
        pids = [p for p in host_processes(pod["metadata"]["uid"]) if program_of(p) == SIDECAR]
        before = containers(pod)
        if pids:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            before = before[:1]
        else:
            self.kubectl("delete", "pod", pod["metadata"]["name"], "--grace-period=0", "--force")
        self.wait_ready(LABEL + agent, 1, before)

    def server_down(self):
        self.kubectl("scale", "statefulset", RELEASE, "--replicas=0")
        wire.until(lambda: not self.get("pods", "-l", SERVER_LABEL)["items"], READY_S, 0.3)

    def server_up(self):
        self.kubectl("scale", "statefulset", RELEASE, "--replicas=1")
        self.wait_ready(SERVER_LABEL)

    def scale_operator(self, replicas):
        self.kubectl("scale", "deployment", OPERATOR, f"--replicas={replicas}")
        if replicas:
            self.wait_ready(OPERATOR_LABEL, replicas)
        elif not wire.until(lambda: not self.get("pods", "-l", OPERATOR_LABEL)["items"], READY_S, 0.3):
            raise SystemExit(f"the operator did not go in {READY_S} s\n{self.words()}")

    def change(self, agent, manifest):
        self.kubectl("apply", "-f", "-", given=manifest)

    def incarnation(self, agent):
        return containers(self.pod(agent))

    def figures(self):
        """K43 limits the operator at rest without Agents, and not the memory that it needs for them."""
        return self.idle + self.measured(
            {"agent-memory-server": 32, "agent-memory-sidecar": 20, "agent-memory-operator": 0}, "after the story")

    def measured(self, limits, when):
        found = []
        for pod in self.get("pods")["items"]:
            for pid in host_processes(pod["metadata"]["uid"]):
                program, seen = program_of(pid), programs.resident(pid)
                if program in limits and seen:
                    name = f"{program.removeprefix('agent-memory-')}, {when} ({pod['metadata']['name']})"
                    found.append((name, *seen, limits[program] * MIB))
        return found

    def repeat(self):
        return [
            f"kubectl -n {NAMESPACE} get agents",
            f"kubectl -n {NAMESPACE} exec coder-0 -c agent -- python3 /agent.py turn --conversation mine "
            "--prompt 'Does main.c compile?' --tools compile",
            f"kubectl -n {NAMESPACE} exec coder-0 -c agent -- python3 /agent.py call GET /conversations/current",
            f"kubectl -n {NAMESPACE} exec coder-0 -c agent -- python3 /agent.py call GET '/search?q=main.c'",
            f"kubectl -n {NAMESPACE} get agent coder -o yaml",
        ]


def ready(pod):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod.get("status", {}).get("conditions", []))


def containers(pod):
    """The ids of the running containers, the sidecar's first."""
    status = pod.get("status", {})
    all_of_them = status.get("initContainerStatuses", []) + status.get("containerStatuses", [])
    return [c["containerID"] for c in all_of_them if c.get("containerID") and "running" in c.get("state", {})]


def host_processes(uid):
    """The processes of that pod, if its node is this machine and /proc shows them; else none."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/cgroup", encoding="utf-8") as file:
                groups = file.read()
            if ("pod" + uid) in groups.replace("_", "-") and program_of(entry) not in ("", "pause"):
                found.append(int(entry))
        except OSError:
            continue
    return found


def program_of(pid):
    """The base name of the process's executable; '' if it is unknown."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return ""


def check_tools():
    missing = [tool for tool in ("kubectl", "helm") if not shutil.which(tool)]
    if missing:
        print(f"story: {' and '.join(missing)} not found in PATH: run scripts/run --cluster, which brings them",
              file=sys.stderr)
        sys.exit(1)

