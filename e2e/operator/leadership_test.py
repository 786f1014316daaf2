#!/usr/bin/env python3
"""Checks which of several operators leads: real processes on a real API server, ended, killed, stopped and cut off.

    e2e/operator/leadership_test.py --kubeconfig FILE [--kubectl PATH] [--long]

--long: the API server is away for 5 minutes instead of 30 s, and connections fall silent (8 minutes more). Needs no node and
no controller. Uses its own namespace; CRDs that existed before stay. The last line is "N passed, M failed"; figures are above.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from operators import LEASE_S, PATIENCE_S, Cluster, leads, metric, run, writes  # noqa: E402

AWAY_S, LONG_AWAY_S = 30, 300


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
    # The new leader has nothing to do, and repeats no write.
    before, written, began = t.quiet(), writes(second), time.monotonic()
    time.sleep(4)
    more = writes(second) - written
    renewals = (time.monotonic() - began) / (LEASE_S / 15) + 2  # at most one per LEASE_S / 15 s
    assert t.versions() == before and more <= renewals, f"only the Lease is renewed: {more:.0f} writes"
    return second


def killed_leader_is_replaced(t, leader):
    standby = t.operator("third")
    assert standby.ready(PATIENCE_S) and leads(leader)
    leader.kill()
    t.edit("example/agent:3")
    gap = t.seconds_until(lambda: t.applied() == "example/agent:3")
    print(f"  SIGKILL: an edit applied after {gap} s (asked: {LEASE_S + 2})")
    assert gap < 2 * LEASE_S
    return standby


def stopped_leader_writes_nothing_more(t, leader):
    standby = t.operator("fourth")
    assert standby.ready(PATIENCE_S) and leads(leader)
    t.quiet()
    looked, before = time.monotonic(), writes(leader)
    leader.process.send_signal(signal.SIGSTOP)
    renewals = 1 + int((time.monotonic() - looked) / (LEASE_S / 15))  # at most one per LEASE_S / 15 s, and one under way
    try:
        gap = t.seconds_until(lambda: leads(standby))
        t.edit("example/agent:4")  # work for both: the stopped leader sees the edit afterwards
        t.seconds_until(lambda: t.applied() == "example/agent:4")
        t.edit("example/agent:5")
        t.seconds_until(lambda: t.applied() == "example/agent:5")
        versions = t.quiet()
    finally:
        leader.process.send_signal(signal.SIGCONT)
    t.seconds_until(lambda: not leads(leader))
    time.sleep(3)
    # The leader may count renewals after the look that the API server accepted before the stop; no other write was in flight.
    late = writes(leader) - before
    print(f"  SIGSTOP: replaced after {gap} s; writes taken from the stale leader after SIGCONT: {late:.0f} (asked: 0, "
          "or a renewal from before)")
    assert late <= renewals, "the stale leader wrote"
    assert t.versions() == versions, f"something was written: {versions} became {t.versions()}"
    assert t.holder() == "fourth", t.holder()
    code = leader.stop(PATIENCE_S)
    assert code == 0, f"exit {code}: {leader.tail()}"
    assert t.holder() == "fourth", "who does not hold the Lease does not give it up"
    code = standby.stop(PATIENCE_S)
    assert code == 0 and t.holder() == "", f"exit {code}, held by {t.holder()!r}: {standby.tail()}"


def cut_off_leader_stands_again_in_the_same_process(t, long):
    leader, proxy = t.behind_proxy("fifth")
    away_s = LONG_AWAY_S if long else AWAY_S
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
    """SIGTERM amid two hundred new Agents: another operator creates the other workloads, and changes none."""
    count = 200
    t.kubectl("create", "-n", t.namespace, "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": f"crowd-{number}"},
         "spec": {"image": "example/agent:0"}} for number in range(count)]}))

    def made():
        """The generations of the existing workloads."""
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
    leader, proxy = t.behind_proxy("sixth")
    proxy.fall_silent()
    t.edit("example/agent:7")
    gap = t.seconds_until(lambda: t.applied() == "example/agent:7", 240)
    idle = metric(leader, "agent_memory_operator_watch_ends_total", reason="idle", resource="agents")
    print(f"  open connections lose everything: an edit applied after {gap} s (asked: 155); watches ended as idle: {idle:.0f}")
    assert gap <= 200 and idle >= 1 and leader.stop(PATIENCE_S) == 0


def story(t, long):
    """Yields the tests; each continues from the state after the one before."""
    state = []
    yield "standby_is_ready_and_takes_over_when_the_leader_ends", lambda: state.append(
        standby_is_ready_and_takes_over_when_the_leader_ends(t))
    yield "killed_leader_is_replaced", lambda: state.append(killed_leader_is_replaced(t, state[-1]))
    yield "stopped_leader_writes_nothing_more", lambda: stopped_leader_writes_nothing_more(t, state[-1])
    yield "cut_off_leader_stands_again_in_the_same_process", lambda: cut_off_leader_stands_again_in_the_same_process(t, long)
    yield "a_full_queue_does_not_keep_a_leader", lambda: a_full_queue_does_not_keep_a_leader(t)
    if long:
        yield "silent_connections_are_given_up", lambda: silent_connections_are_given_up(t)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--long", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Cluster(asked.kubeconfig, asked.kubectl, folder, "leadership")
        return run(t, story(t, asked.long))


if __name__ == "__main__":
    sys.exit(main())
