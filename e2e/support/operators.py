"""Operators as processes on a real API server, and a proxy between them, for the tests that end, stop and cut off
operators."""
import base64
import json
import os
import re
import socket
import subprocess
import threading
import time
import uuid

import crds
import wire
from programs import Program

LEASE, LEASE_S = "agent-memory-operator", 15  # the chart's name of the Lease, which its Role contains
# For events whose time is not judged: allows for two slow cores, a sanitized build and parallel tests.
PATIENCE_S = 180


class Proxy:
    """Forwards TCP to the API server. leave() cuts open connections and refuses new ones; fall_silent() drops the data
    of open connections."""

    def __init__(self, host, port):
        self.target, self.open, self.silent, self.away = (host, port), set(), set(), False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            if self.away:
                client.close()
                continue
            server = socket.create_connection(self.target)
            self.open |= {client, server}
            if self.away:  # leave() ran while this connection was opened
                self.leave(True)
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink):
        try:
            while block := source.recv(65536):
                if source not in self.silent:
                    sink.sendall(block)
        except OSError:
            pass
        for end in (source, sink):
            self.open.discard(end)
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def fall_silent(self):
        self.silent |= self.open

    def leave(self, away):
        self.away = away
        for end in list(self.open) if away else []:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Cluster:
    def __init__(self, kubeconfig, kubectl, folder, name):
        self.command = [kubectl, f"--kubeconfig={kubeconfig}"]
        self.kubeconfig, self.folder = kubeconfig, folder
        self.namespace, self.started = f"{name}-{uuid.uuid4().hex[:6]}", []

    def kubectl(self, *arguments, given=None):
        done = subprocess.run([*self.command, *arguments], input=given, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def operator(self, name, kubeconfig=None, namespaces=None):
        """Starts an operator that serves the test's namespace; its log is `name`.log."""
        arguments = [f"--kubeconfig={kubeconfig or self.kubeconfig}", f"--namespaces={namespaces or self.namespace}",
                     f"--lease={self.namespace}/{LEASE}", f"--lease-duration={LEASE_S}s", "--adopt-crds"]
        self.started.append(Program("agent-memory-operator", arguments, os.path.join(self.folder, name + ".log"),
                                    environment={"POD_NAME": name}))
        return self.started[-1].start()

    def behind_proxy(self, name):
        """→ (an operator that leads, the proxy between it and the API server)."""
        with open(self.kubeconfig, encoding="utf-8") as text:
            direct = text.read()
        host, port = re.search(r"server: https://([^:]+):(\d+)", direct).groups()
        proxy = Proxy(host, int(port))
        through = self.file("proxied", direct.replace(f"https://{host}:{port}", f"https://127.0.0.1:{proxy.port}"))
        leader = self.operator(name, through)
        self.seconds_until(lambda: leads(leader))
        assert leader.ready(PATIENCE_S)
        return leader, proxy

    def file(self, name, text):
        """Writes a private file of the test's folder → its path."""
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w", encoding="utf-8") as out:
            out.write(text)
        os.chmod(path + ".new", 0o600)
        os.rename(path + ".new", path)
        return path

    def kubeconfig_of(self, account):
        """Writes a kubeconfig with only a ServiceAccount's token → its path."""
        with open(self.kubeconfig, encoding="utf-8") as admin:
            text = admin.read()
        ca = base64.b64decode(re.search(r"certificate-authority-data: (\S+)", text)[1]).decode()
        return self.file(account, json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "it", "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "clusters": [{"name": "it", "cluster": {"server": re.search(r"server: (\S+)", text)[1], "certificate-authority": self.file("ca.crt", ca)}}],
            "users": [{"name": "it", "user": {"token": self.kubectl("create", "token", account, "-n", self.namespace).strip()}}]}))

    def holder(self):
        return self.kubectl("get", "lease", LEASE, "-n", self.namespace, "-o", "jsonpath={.spec.holderIdentity}")

    def give_agent(self, namespace=None):
        agent = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": "coder"},
                 "spec": {"image": "example/agent:0", "memory": {"serverRef": "agent-memory"}}}
        self.kubectl("apply", "-n", namespace or self.namespace, "-f", "-", given=json.dumps(agent))

    def edit(self, image, namespace=None):
        self.kubectl("patch", "agent", "coder", "-n", namespace or self.namespace, "--type=merge", "-p",
                     json.dumps({"spec": {"image": image}}))

    def applied(self, namespace=None):
        """The agent's image in the StatefulSet; '' if there is none yet."""
        try:
            return self.kubectl("get", "statefulset", "coder", "-n", namespace or self.namespace, "-o",
                                "jsonpath={.spec.template.spec.containers[0].image}")
        except RuntimeError:
            return ""

    def versions(self):
        """The resource versions of all objects that an operator writes here, except its Lease."""
        return self.kubectl("get", "agent,statefulset,configmap,serviceaccount", "-n", self.namespace, "-o",
                            "jsonpath={.items[*].metadata.resourceVersion}")

    def quiet(self):
        """Waits until no object was written for 3 s → the versions."""
        end = time.monotonic() + PATIENCE_S
        last, since = self.versions(), time.monotonic()
        while time.monotonic() - since < 3:
            assert time.monotonic() < end, f"still writing after {PATIENCE_S} s"
            time.sleep(0.5)
            if (now := self.versions()) != last:
                last, since = now, time.monotonic()
        return last

    def seconds_until(self, condition, within_s=PATIENCE_S):
        start = time.monotonic()
        assert wire.until(condition, within_s, 0.05), f"not within {within_s} s"
        return round(time.monotonic() - start, 1)


def metric(program, series, **labels):
    """The sum over the series of this name that have these labels (regular expressions)."""
    total = 0
    for line in wire.ask(program.admin, "GET", "/metrics")[1].splitlines():
        found = re.match(rf"{series}(?:{{(.*)}})? (\S+)$", line)
        if found and all(re.search(rf'{k}="(?:{v})"', found[1] or "") for k, v in labels.items()):
            total += float(found[2])
    return total


def leads(program):
    return metric(program, "leader_election_master_status") == 1


def writes(program):
    """The number of its writes that the API server accepted, including those of the Lease."""
    return metric(program, "rest_client_requests_total", method="PATCH|POST|DELETE", code="2..")


def run(t, story):
    """Prepares CRDs, a namespace and an Agent, and runs `story`, pairs of name and test → the exit code."""
    new = crds.install(t.command)
    t.kubectl("create", "namespace", t.namespace)
    t.give_agent()
    passed = failed = 0
    try:
        for name, test in story:
            try:
                test()
                passed += 1
            except (AssertionError, RuntimeError, IndexError, OSError, SystemExit, subprocess.SubprocessError) as wrong:
                failed += 1
                print(f"FAILED {name}: {wrong}")
    finally:
        for program in t.started:
            program.kill()
        subprocess.run([*t.command, "delete", "namespace", t.namespace, "--wait=false"], capture_output=True, check=False)
        if new:
            crds.remove(t.command)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
