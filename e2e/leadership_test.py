#!/usr/bin/env python3
"""Who of several operators works: real processes on a real API server, ended, killed, stopped and cut off.

    e2e/leadership_test.py --kubeconfig FILE [--kubectl PATH] [--long]

--long: the API server is away for 5 minutes instead of 30 s, and connections fall silent (8 minutes more). No node and no controller is needed. Works in a namespace of its own; CRDs that were there before stay.
The last line is "N passed, M failed"; the figures stand above it.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import wire
from programs import Program

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEASE_S, AWAY_S, LONG_AWAY_S = 15, 30, 300
# For what must happen and whose time is not the question: two cores, a sanitized build and other tests at once.
PATIENCE_S = 60


class Proxy:
    """Passes TCP on to the API server, until it is told to cut what is open and refuse, or to lose what comes
    over what is open."""

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
            if self.away:  # it left while this connection was made
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
    def __init__(self, asked, folder):
        self.command = [asked.kubectl, f"--kubeconfig={asked.kubeconfig}"]
        self.kubeconfig, self.folder, self.long = asked.kubeconfig, folder, asked.long
        self.namespace, self.started = "leadership-" + uuid.uuid4().hex[:6], []

    def kubectl(self, *arguments, given=None):
        done = subprocess.run([*self.command, *arguments], input=given, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def operator(self, name, kubeconfig=None):
        """One that serves our namespace; its log is `name`.log."""
        arguments = [f"--kubeconfig={kubeconfig or self.kubeconfig}", f"--namespaces={self.namespace}",
                     f"--lease={self.namespace}/operator", f"--lease-duration={LEASE_S}s", "--adopt-crds"]
        self.started.append(Program("agent-memory-operator", arguments, os.path.join(self.folder, name + ".log"),
                                    environment={"POD_NAME": name}))
        return self.started[-1].start()

    def holder(self):
        return self.kubectl("get", "lease", "operator", "-n", self.namespace, "-o", "jsonpath={.spec.holderIdentity}")

    def edit(self, image):
        self.kubectl("patch", "agent", "coder", "-n", self.namespace, "--type=merge", "-p",
                     json.dumps({"spec": {"image": image}}))

    def applied(self):
        """The agent's image in the StatefulSet; '' when there is none yet."""
        try:
            return self.kubectl("get", "statefulset", "coder", "-n", self.namespace, "-o",
                                "jsonpath={.spec.template.spec.containers[0].image}")
        except RuntimeError:
            return ""

    def versions(self):
        """Of everything that an operator writes here, its Lease apart."""
        return self.kubectl("get", "agent,statefulset,configmap,serviceaccount", "-n", self.namespace, "-o",
                            "jsonpath={.items[*].metadata.resourceVersion}")

    def quiet(self):
        """Waits until nothing was written for 3 s → the versions."""
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
    """Writes that the API server took from it, those of the Lease among them."""
    return metric(program, "rest_client_requests_total", method="PATCH|POST|DELETE", code="2..")


def standby_is_ready_and_takes_over_when_the_leader_ends(t):
    first = t.operator("first")
    t.seconds_until(lambda: leads(first))
    t.seconds_until(lambda: t.applied() == "example/agent:0")
    second = t.operator("second")
    assert second.ready(PATIENCE_S), "a standby is ready when its caches are"
    assert not leads(second) and writes(second) == 0 and t.holder() == "first"
    t.edit("example/agent:1")
    first.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    t.edit("example/agent:2")
    gap = t.seconds_until(lambda: t.applied() == "example/agent:2")
    code = first.process.wait(PATIENCE_S)
    print(f"  SIGTERM: exit {code} after {time.monotonic() - began:.1f} s or less; an edit meanwhile applied after {gap} s (asked: 3)")
    assert code == 0 and gap <= LEASE_S and t.holder() == "second"
    # Nothing is left to do, and nothing is done twice.
    before, written, began = t.quiet(), writes(second), time.monotonic()
    time.sleep(4)
    more = writes(second) - written
    renewals = (time.monotonic() - began) / (LEASE_S / 15) + 2  # one in LEASE_S / 15 s at most
    assert t.versions() == before and more <= renewals, f"only the Lease is renewed: {more:.0f} writes"
    return second


def killed_leader_is_replaced(t, leader):
    standby = t.operator("third")
    assert standby.ready(PATIENCE_S) and leads(leader)
    leader.kill()
    t.edit("example/agent:3")
    gap = t.seconds_until(lambda: t.applied() == "example/agent:3")
    print(f"  SIGKILL: an edit applied after {gap} s (asked: {LEASE_S + 2})")
    assert gap <= LEASE_S + 10
    return standby


def stopped_leader_writes_nothing_more(t, leader):
    standby = t.operator("fourth")
    assert standby.ready(PATIENCE_S) and leads(leader)
    t.quiet()
    before = writes(leader)
    leader.process.send_signal(signal.SIGSTOP)
    try:
        gap = t.seconds_until(lambda: leads(standby))
        t.edit("example/agent:4")  # work for both, as the stopped one will see it
        t.seconds_until(lambda: t.applied() == "example/agent:4")
        t.edit("example/agent:5")
        t.seconds_until(lambda: t.applied() == "example/agent:5")
        versions = t.quiet()
    finally:
        leader.process.send_signal(signal.SIGCONT)
    t.seconds_until(lambda: not leads(leader))
    time.sleep(3)
    # One renewal may have been made before the stop and counted after it: nothing else was under way then.
    late = writes(leader) - before
    print(f"  SIGSTOP: replaced after {gap} s; writes taken from the stale leader after SIGCONT: {late:.0f} (asked: 0, "
          "or a renewal from before)")
    assert late <= 1 and t.versions() == versions and t.holder() == "fourth"
    assert leader.stop(PATIENCE_S) == 0
    assert t.holder() == "fourth", "who does not hold the Lease does not give it up"
    assert standby.stop(PATIENCE_S) == 0 and t.holder() == ""


def behind_proxy(t, name):
    """→ an operator that leads, and what lies between it and the API server."""
    host, port = re.search(r"server: https://([^:]+):(\d+)", pathlib.Path(t.kubeconfig).read_text()).groups()
    proxy = Proxy(host, int(port))
    through = os.path.join(t.folder, "proxied")
    pathlib.Path(through).write_text(pathlib.Path(t.kubeconfig).read_text().replace(
        f"https://{host}:{port}", f"https://127.0.0.1:{proxy.port}"))
    os.chmod(through, 0o600)
    leader = t.operator(name, through)
    t.seconds_until(lambda: leads(leader))
    assert leader.ready(PATIENCE_S)
    return leader, proxy


def cut_off_leader_stands_again_in_the_same_process(t):
    leader, proxy = behind_proxy(t, "fifth")
    away_s = LONG_AWAY_S if t.long else AWAY_S
    proxy.leave(True)
    calls = metric(leader, "rest_client_requests_total")
    down = t.seconds_until(lambda: not leads(leader))
    time.sleep(max(0, away_s - down))
    rate = (metric(leader, "rest_client_requests_total") - calls) / away_s
    t.edit("example/agent:6")
    proxy.leave(False)
    back = t.seconds_until(lambda: leads(leader))
    gap = back + t.seconds_until(lambda: t.applied() == "example/agent:6", 90)
    print(f"  API server away {away_s} s: stepped down after {down} s, {rate:.1f} calls/s meanwhile, led {back} s after, "
          f"an edit applied {gap:.1f} s after (asked: 35); same process: {leader.running}")
    assert leader.running and gap <= 75 and leader.stop(PATIENCE_S) == 0


def a_full_queue_does_not_keep_a_leader(t):
    """Ended in the middle of two hundred new Agents; another does the rest, and nothing again."""
    count = 200
    t.kubectl("create", "-n", t.namespace, "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": f"crowd-{number}"},
         "spec": {"image": "example/agent:0"}} for number in range(count)]}))

    def made():
        """The generations of their workloads."""
        return t.kubectl("get", "statefulset", "-n", t.namespace, "-l", "agents.agentops.io/agent!=coder", "-o",
                         "jsonpath={.items[*].metadata.generation}").split()
    leader = t.operator("crowded")
    t.seconds_until(lambda: metric(leader, "workqueue_work_duration_seconds_count", name="agent") >= 4)
    leader.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    code = leader.process.wait(PATIENCE_S)
    took, done = time.monotonic() - began, len(made())
    print(f"  SIGTERM with {count - done} of {count} keys waiting: exit {code} after {took:.1f} s (asked: 25)")
    assert code == 0 and took <= 30 and done < count and t.holder() == ""
    rest = t.operator("rest")
    t.seconds_until(lambda: len(made()) == count, 4 * PATIENCE_S)
    t.quiet()
    assert set(made()) == {"1"}, "no workload was changed after it was made"
    assert rest.stop(PATIENCE_S) == 0


def silent_connections_are_given_up(t):
    leader, proxy = behind_proxy(t, "sixth")
    proxy.fall_silent()
    t.edit("example/agent:7")
    gap = t.seconds_until(lambda: t.applied() == "example/agent:7", 240)
    idle = metric(leader, "agent_memory_operator_watch_ends_total", reason="idle", resource="agents")
    print(f"  open connections lose everything: an edit applied after {gap} s (asked: 155); watches ended as idle: {idle:.0f}")
    assert gap <= 200 and idle >= 1 and leader.stop(PATIENCE_S) == 0


def story(t):
    """The tests, each from where the one before ended."""
    state = []
    yield "standby_is_ready_and_takes_over_when_the_leader_ends", lambda: state.append(
        standby_is_ready_and_takes_over_when_the_leader_ends(t))
    yield "killed_leader_is_replaced", lambda: state.append(killed_leader_is_replaced(t, state[-1]))
    yield "stopped_leader_writes_nothing_more", lambda: stopped_leader_writes_nothing_more(t, state[-1])
    yield "cut_off_leader_stands_again_in_the_same_process", lambda: cut_off_leader_stands_again_in_the_same_process(t)
    yield "a_full_queue_does_not_keep_a_leader", lambda: a_full_queue_does_not_keep_a_leader(t)
    if t.long:
        yield "silent_connections_are_given_up", lambda: silent_connections_are_given_up(t)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--long", action="store_true")
    with tempfile.TemporaryDirectory() as folder:
        t = Cluster(options.parse_args(), folder)
        new = subprocess.run([*t.command, "get", "-k", str(ROOT / "crds")], capture_output=True, check=False).returncode != 0
        t.kubectl("apply", "--server-side", "--force-conflicts", "-k", str(ROOT / "crds"))
        t.kubectl("create", "namespace", t.namespace)
        agent = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": "coder"},
                 "spec": {"image": "example/agent:0", "memory": {"serverRef": "agent-memory"}}}
        t.kubectl("apply", "-n", t.namespace, "-f", "-", given=json.dumps(agent))
        passed = failed = 0
        try:
            for name, test in story(t):
                try:
                    test()
                    passed += 1
                except (AssertionError, RuntimeError, IndexError, OSError, SystemExit, subprocess.TimeoutExpired) as wrong:
                    failed += 1
                    print(f"FAILED {name}: {wrong}")
        finally:
            for program in t.started:
                program.kill()
            subprocess.run([*t.command, "delete", "namespace", t.namespace, "--wait=false"], capture_output=True, check=False)
            if new:
                subprocess.run([*t.command, "delete", "-k", str(ROOT / "crds")], capture_output=True, check=False)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
