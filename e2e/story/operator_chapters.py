"""The operator is away, is killed, or has two replicas: agents are not affected, edits wait for the next leader, and
nothing is written twice. e2e/operator/leadership_test.py tests the Lease itself."""
import os
import signal
import subprocess
import time

import wire
from driver import sample
from on_cluster import LABEL, NAMESPACE, OPERATOR, OPERATOR_LABEL, containers, host_processes, program_of
from standing import as_given, digest, learn, told_soon, who_runs

LEASE_S, GIVEN_UP_S, MORE_S = 15, 3, 2  # the limits
SLOWER_S = 8  # tolerance for a busy machine; the check prints the time
QUIET_S = 3  # nothing more may be written in this time


def limit(number):
    return sample("coder").replace("contextLimit: 5", f"contextLimit: {number}")


def operator_away(story):
    c, driver = story.checks, story.driver
    c.chapter("m. The operator is away: agents capture, recall and are started again, edits wait for it")
    as_given(story)
    driver.scale_operator(0)
    c.that(told_soon(story, learn(story)), "and a new conversation is told of it")
    before = containers(driver.pod("coder"))
    driver.kubectl("delete", "pod", "coder-0", "--wait=false")
    driver.wait_ready(LABEL + "coder", 1, before)
    inits = [one["name"] for one in driver.pod("coder")["spec"].get("initContainers", [])]
    c.equal(inits, ["memory"], "a pod that is made anew meanwhile has its sidecar")
    marker = learn(story)
    c.that(told_soon(story, marker), "and goes on remembering")
    old, running = digest(story), who_runs(driver)
    driver.change("coder", limit(4))
    c.that(told_soon(story, marker) and digest(story) == old, "an edit waits: the policy in force is the old one")
    began = time.monotonic()
    driver.scale_operator(1)
    applied = wire.until(lambda: digest(story) != old, driver.policy_s, 0.3)
    c.that(applied, f"the operator is back: the edit is in force {time.monotonic() - began:.1f} s after it was asked for")
    c.equal(who_runs(driver), running, "nothing was started again for it")


class SettingsWrites:
    """Watches the writes of the coder's ConfigMaps: the policy of its sidecar, and the Agent for its own program."""

    def __init__(self, driver):
        self.driver = driver
        self.objects = sorted("configmap/" + one["metadata"]["name"] for one in driver.get("configmap", "-l", LABEL + "coder")["items"])
        line = [*driver.base, "-n", NAMESPACE, "get", "configmap", "--watch", "-l", LABEL + "coder", "-o", "name"]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = b""
        if not wire.until(lambda: len(self.seen()) == len(self.objects), 180, 0.1):
            raise SystemExit(f"of {self.objects} are seen {self.seen()}")
        self.text = b""

    def seen(self):
        self.text += self.process.stdout.read() or b""
        return self.text.decode().split()

    def end(self):
        self.process.kill()
        self.process.wait()


def two_operators(story):
    c, driver = story.checks, story.driver
    c.chapter("n. Two operators: the one that leads is deleted, then killed; the other goes on, and writes nothing twice")
    as_given(story)
    driver.upgrade("operator.replicas=2")
    driver.wait_ready(OPERATOR_LABEL, 2)
    running, generations = who_runs(driver), workloads(driver)
    for number, (how, gone, at_most) in enumerate((("deleted", delete, GIVEN_UP_S), ("killed", kill, LEASE_S + MORE_S))):
        holder = wire.until(lambda: holder_of(driver), LEASE_S * 2, 0.2)
        writes = SettingsWrites(driver)
        try:
            gone(driver, holder)
            began = time.monotonic()
            driver.change("coder", limit(6 + number))
            wire.until(lambda: len(writes.seen()) >= len(writes.objects), LEASE_S * 4, 0.05)
            took = time.monotonic() - began
            c.that(took <= at_most + SLOWER_S, f"the one that leads is {how}: an edit is applied {took:.1f} s after (asked: {at_most})")
            wire.until(lambda: len(writes.seen()) > len(writes.objects), QUIET_S, 0.2)
            c.equal(sorted(writes.seen()), writes.objects, "and written once")
        finally:
            writes.end()
        driver.wait_ready(OPERATOR_LABEL, 2)
        c.say(f"led by {holder}, then by {holder_of(driver)}")
    c.equal((who_runs(driver), workloads(driver)), (running, generations), "no workload was written, no container started again")
    driver.upgrade("operator.replicas=1")


def holder_of(driver):
    """→ the pod that leads, '' if none does."""
    name = (driver.get("lease", OPERATOR) or {}).get("spec", {}).get("holderIdentity", "")
    return name if name and driver.get("pod", name) else ""


def workloads(driver):
    return {one["metadata"]["name"]: one["metadata"]["generation"] for one in driver.get("statefulset")["items"]}


def delete(driver, pod):
    driver.kubectl("delete", "pod", pod, "--wait=false")


def kill(driver, pod):
    """Sends SIGKILL if the node is this machine. Also deletes the pod: a container restarted under its name would continue
    with the Lease at once."""
    mine = [p for p in host_processes(driver.get("pod", pod)["metadata"]["uid"]) if program_of(p) == OPERATOR]
    for process in mine:
        os.kill(process, signal.SIGKILL)
    driver.kubectl("delete", "pod", pod, "--grace-period=0", "--force")


OPERATOR_CHAPTERS = (operator_away, two_operators)
