#!/usr/bin/env python3
"""Deletes Agents with volumes: their claims stay the same objects for each kind of deletion, and their namespace goes
in time. Row C15 of the reliability list; e2e/story/namespace_chapters.py tests it with pods.

    e2e/operator/retained_volumes_test.py --kubeconfig FILE [--agents 100] [--seed N] [--kubectl PATH]

Needs an API server with a controller manager, which creates the claims and collects the Agents' children; no node. Uses
its own namespace. The last line is "N passed, M failed"; the figures are above it.
"""
import argparse
import json
import os
import random
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from operators import PATIENCE_S, Cluster, leads, run  # noqa: E402

GONE_S = 180  # 60 on an idle machine
CLAIMED_S = 4 * PATIENCE_S


def listed(t, kind):
    """→ all objects of that kind in the test's namespace, except those of the Agent coder."""
    items = json.loads(t.kubectl("get", kind, "-n", t.namespace, "-o", "json"))["items"]
    return [one for one in items if "leaver-" in one["metadata"]["name"]]


def claims(t):
    """→ (name, uid) of the claims that are not being deleted, and have no owner with which they would be deleted."""
    return sorted((one["metadata"]["name"], one["metadata"]["uid"]) for one in listed(t, "pvc")
                  if not one["metadata"].get("deletionTimestamp") and not one["metadata"].get("ownerReferences"))


def delete(t, names, how):
    t.kubectl("delete", "agents", *names, "-n", t.namespace, "--wait=false", f"--cascade={how}")


def every_claim_outlives_its_agent(t, count, chance):
    operator = t.operator("first")
    t.seconds_until(lambda: leads(operator))
    names = [f"leaver-{number}" for number in range(count)]
    t.kubectl("create", "-n", t.namespace, "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": name},
         "spec": {"image": "example/agent:0", "storage": {"size": "1Mi"}}} for name in names]}))
    t.seconds_until(lambda: len(claims(t)) == count, CLAIMED_S)
    before = claims(t)
    chance.shuffle(names)
    third = count // 3
    delete(t, names[:third], "background")
    delete(t, names[third:2 * third], "foreground")
    operator.kill()  # deletes the rest without an operator
    delete(t, names[2 * third:], "background")
    took = t.seconds_until(lambda: not listed(t, "agents") and not listed(t, "statefulset") and not listed(t, "pods"), CLAIMED_S)
    assert claims(t) == before, f"lost or changed: {set(before) ^ set(claims(t))}"
    operator = t.operator("second")
    t.seconds_until(lambda: leads(operator))
    assert operator.ready(PATIENCE_S)
    time.sleep(2)  # time for deletes that must not happen
    kept = len(set(claims(t)) & set(before))
    print(f"  {count} Agents deleted, {count - 2 * third} of them without an operator: all of theirs gone after {took} s, "
          f"{kept} of {count} claims kept (asked: all)")
    assert kept == count
    return operator


def the_namespace_goes(t, operator):
    """Deletes the namespace with an Agent and all those claims in it, and without a memory server."""
    assert t.applied(), "the coder has its workload"
    began = time.monotonic()
    t.kubectl("delete", "namespace", t.namespace, "--wait=false")

    def gone():
        return not t.kubectl("get", "namespace", t.namespace, "--ignore-not-found")
    t.seconds_until(gone, 2 * GONE_S)
    took = time.monotonic() - began
    print(f"  the namespace is gone after {took:.1f} s (asked: 60)")
    assert took <= GONE_S and operator.running


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--agents", type=int, default=100)
    options.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    asked = options.parse_args()
    print(f"  --seed {asked.seed}")
    with tempfile.TemporaryDirectory() as folder:
        t, state = Cluster(asked.kubeconfig, asked.kubectl, folder, "volumes"), []
        return run(t, [
            ("every_claim_outlives_its_agent", lambda: state.append(every_claim_outlives_its_agent(t, asked.agents, random.Random(asked.seed)))),
            ("the_namespace_goes", lambda: the_namespace_goes(t, state[-1]))])


if __name__ == "__main__":
    sys.exit(main())
