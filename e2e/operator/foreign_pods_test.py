#!/usr/bin/env python3
"""Foreign pods on a real API server: the chart's policies inject or refuse them, and the result equals the output of
`explain` and the pods of Agents. Rows 9-11, 16-19, 21 and 22 of docs/acceptance-operator.md.

    e2e/operator/foreign_pods_test.py --kubeconfig FILE [--mode policy|webhook] [--kubectl PATH] [--pods 1000] [--seed N]

Needs Kubernetes 1.36; no node. Uses its own namespaces and policies; the CRDs stay.
The last line is "N passed, M failed".
"""
import argparse
import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import wire  # noqa: E402
from foreign_cluster import ADMISSION, AGENTS, LABEL, Cluster  # noqa: E402
from foreign_random import random_agent, random_pod  # noqa: E402
from operators import PATIENCE_S  # noqa: E402
from programs import binary  # noqa: E402

PARTS = re.compile(r"kube-api-access-\w+")


def sidecar_of(pod):
    found = [c for c in pod["spec"]["initContainers"] if c["name"] == "memory"]
    assert len(found) == 1, f"{len(found)} containers memory"
    return untokened(found[0])


def untokened(container):
    """Drops the mount that the API server's ServiceAccount admission adds under a random name."""
    mounts = [m for m in container["volumeMounts"] if not m["name"].startswith("kube-api-access")]
    return {**container, "volumeMounts": mounts}


def names(pod):
    return [c["name"] for c in pod["spec"].get("initContainers", [])]


def volume(spec, name):
    return next(v for v in spec["volumes"] if v["name"] == name)


def normal(pod):
    """A pod without fields that differ between creations, or depend on the order of admission: the API server mounts
    the ServiceAccount's token before or after the injection of the sidecar."""
    pod = json.loads(PARTS.sub("kube-api-access", json.dumps(pod)))
    pod["metadata"] = {"annotations": pod["metadata"].get("annotations", {})}
    pod.pop("status", None)
    pod["spec"]["volumes"] = sorted(pod["spec"].get("volumes", []), key=lambda v: v["name"])
    inits = pod["spec"].get("initContainers", [])
    pod["spec"]["initContainers"] = [untokened(c) if c["name"] == "memory" else c for c in inits]
    return pod


def a_foreign_pod_gets_the_container_of_our_own_pods(t):
    read = lambda: t.call("GET", f"/apis/apps/v1/namespaces/{t.name}/statefulsets/coder")
    assert wire.until(lambda: read()[0] == 200, PATIENCE_S)
    own, pod = read()[1]["spec"]["template"]["spec"], t.admitted(t.pod("coder"))
    ours, theirs = sidecar_of({"spec": own}), sidecar_of(pod)
    # The foreign pod has its state in an emptyDir, which does not show its limit, the Agent's pod on the Agent's volume.
    assert theirs.pop("env") == [{"name": "AGENT_MEMORY_MAX_STATE", "value": "512Mi"}]
    assert theirs["volumeMounts"][0].pop("name") == "agent-memory-state"
    assert ours["volumeMounts"][0].pop("name") == "data" and ours["volumeMounts"][0].pop("subPath") == "memory"
    assert json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True), (ours, theirs)
    for name in ("agent-memory-policy", "agent-memory-token"):
        assert volume(own, name) == volume(pod["spec"], name), name
    assert names(pod) == ["memory"] and pod["metadata"]["annotations"]["agents.agentops.io/memory-injected"] == "true"
    assert pod["spec"]["containers"][0]["env"] == [{"name": "AGENT_MEMORY_URL", "value": "http://127.0.0.1:7437"}]


def pods_are_injected_while_the_operator_is_away(t):
    t.program.kill()
    made = [t.create(t.pod("coder", f"away-{i}"), dry=False) for i in range(100)]
    t.start()
    assert [status for status, _ in made] == [201] * 100, [m for m in made if m[0] != 201][:3]
    assert all(names(pod) == ["memory"] for _, pod in made)


def a_label_that_names_no_agent_is_refused_by_name(t):
    def refused(agent, space=None):
        status, message = t.create(t.pod(agent, space=space))
        assert status == 403 and f"Agent {space or t.name}/{agent}, which gives none" in message, f"{status} {message}"
        assert f"kubectl get agent -n {space or t.name} {agent}" in message, message
    refused("nobody")
    refused("coder", t.spaces[1])  # an Agent of another namespace
    t.give(t.agent("closed", injection={"foreignPods": False}))
    refused("closed")
    t.give(t.agent("leaving"))
    t.serves("leaving")
    t.must("DELETE", AGENTS.format(t.name) + "/leaving")
    # Until the operator deletes the binding, the refusal is about the missing Agent that the binding names.
    assert wire.until(lambda: "which gives none" in str(t.create(t.pod("leaving"))), PATIENCE_S), t.create(t.pod("leaving"))
    refused("leaving")
    left = t.must("GET", f"{ADMISSION}/mutatingadmissionpolicybindings")["items"]
    assert not [b for b in left if b["metadata"]["name"] == f"{t.name}.leaving"]


def what_the_binding_names_is_gone_and_the_pod_is_refused(t):
    """The Agent is deleted while the operator is down."""
    t.give(t.agent("absent"))
    t.serves("absent")
    t.program.kill()
    t.must("DELETE", AGENTS.format(t.name) + "/absent")
    t.refuses("absent")
    status, message = t.create(t.pod("absent"))
    t.start()
    assert status == 403 and f"{t.name}.absent" in message, f"{status} {message}"
    gone = lambda: t.call("GET", f"{ADMISSION}/mutatingadmissionpolicybindings/{t.name}.absent")[0] == 404
    assert wire.until(gone, PATIENCE_S), "the binding is still there"


def a_copy_of_an_injected_pod_and_a_second_mutator_change_nothing(t):
    first = t.admitted(t.pod("coder"))
    again = copy.deepcopy(first)
    again["metadata"] = {k: v for k, v in first["metadata"].items() if k in ("namespace", "labels", "annotations")}
    again["metadata"]["name"] = "copy"
    again.pop("status")
    assert normal(t.admitted(again)) == normal(first)
    t.mutator(f"a-{t.name}", """[JSONPatch{op: 'add', path: '/spec/containers/-', value: {'name': 'more', 'image': 'm:1'}}].filter(p,
        !object.spec.containers.exists(c, c.name == 'more'))""")
    both = lambda: [c["name"] for c in t.admitted(t.pod("coder"))["spec"]["containers"]] == ["app", "more"]
    try:
        assert wire.until(both, PATIENCE_S), "the second policy does nothing"
        assert json.dumps(sidecar_of(t.admitted(t.pod("coder")))) == json.dumps(sidecar_of(first))
    finally:
        t.unmutate()


def a_declared_sidecar_keeps_image_and_resources_and_not_its_security(t):
    ours = sidecar_of(t.admitted(t.pod("coder")))
    declared = {"name": "memory", "image": "mine:2", "args": ["--listen=0.0.0.0:1"], "resources": {"limits": {"memory": "1Gi", "cpu": "1"}},
                "securityContext": {"runAsNonRoot": False, "allowPrivilegeEscalation": True}}
    pod = t.admitted(t.pod("coder", initContainers=[{"name": "a", "image": "a:1"}, declared]))
    merged = sidecar_of(pod)
    assert names(pod) == ["a", "memory"], names(pod)
    whole = {"memory": "1Gi", "cpu": "1"}  # the API server sets a missing request to the limit
    expected = {**ours, "image": "mine:2", "resources": {"limits": whole, "requests": whole}}
    assert merged == expected, merged
    assert pod["metadata"]["annotations"]["agents.agentops.io/memory-clamped"] == "securityContext"
    bare = t.admitted(t.pod("coder", initContainers=[{"name": "memory", "image": "auto"}]))
    assert sidecar_of(bare) == ours, sidecar_of(bare)
    assert "agents.agentops.io/memory-clamped" not in bare["metadata"]["annotations"]


def pods_that_no_sidecar_could_serve_are_left_as_they_are(t):
    mirror = t.pod("coder", nodeName="n")
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x", "kubernetes.io/config.source": "file"}
    port = {"containers": [{"name": "app", "image": "app:1", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    run_as = {"securityContext": {"windowsOptions": {"runAsUserName": "u"}}}
    t.must("PATCH", f"/api/v1/namespaces/{t.name}", {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "privileged"}}},
           "application/merge-patch+json")
    for pod, reason in ((t.pod("coder", hostNetwork=True, **port), "hostNetwork"),
                        (t.pod("coder", os={"name": "windows"}, **run_as), "Windows"),
                        (t.pod("coder", nodeSelector={"kubernetes.io/os": "windows"}), "Windows"),
                        (mirror, "static")):
        # The API server applies the namespace's label after a moment.
        assert wire.until(lambda pod=pod: t.create(pod)[0] == 201, PATIENCE_S), t.create(pod)
        assert "memory" not in names(t.admitted(pod)), reason


    pod = t.pod("coder", "on-the-node", hostNetwork=True, **port)
    pod["metadata"]["ownerReferences"] = [t.owner("on-the-node")]
    status, answer = t.create(pod, dry=False)
    assert status == 201, answer
    def told():
        events = t.must("GET", f"/apis/events.k8s.io/v1/namespaces/{t.name}/events")["items"]
        return [e for e in events if e["reason"] == "InjectionSkipped" and e["regarding"]["kind"] == "ReplicaSet" and "hostNetwork" in e["note"]]
    assert wire.until(told, PATIENCE_S), "its owner has no Event"
    assert 'agentops_injection_skipped_total{reason="HostNetwork"} 1' in wire.ask(t.program.admin, "GET", "/metrics")[1]


def missed_pods_are_counted_and_replaced_at_a_pace(t):
    """A hundred pods without a controller and a hundred with one get the label while the operator is down; this test plays
    the controller of the ReplicaSet, and the kubelet."""
    t.program.kill()
    owner, pods = t.owner("late"), f"/api/v1/namespaces/{t.name}/pods"
    def make(name, owned, agent=None):
        pod = t.pod(agent, name)
        pod["metadata"]["ownerReferences"] = [owner] if owned else []
        t.must("POST", pods, pod)
    for i in range(100):
        make(f"bare-{i}", False)
        make(f"owned-{i}", True)
    for i in range(100):
        for name in (f"bare-{i}", f"owned-{i}"):
            t.must("PATCH", f"{pods}/{name}", {"metadata": {"labels": {LABEL: "late"}}}, "application/merge-patch+json")
    t.give(t.agent("late"))
    t.start()
    began = time.monotonic()
    status = lambda: t.must("GET", AGENTS.format(t.name) + "/late").get("status", {})
    assert wire.until(lambda: status().get("missedPods") == 200, PATIENCE_S), status().get("missedPods")
    counted_s = time.monotonic() - began
    t.serves("late")
    path = AGENTS.format(t.name) + "/late"
    began, made = time.monotonic(), 0
    t.must("PATCH", path, {"spec": {"injection": {"replaceMissedPods": True}}}, "application/merge-patch+json")
    def replaced():
        nonlocal made
        there = t.must("GET", f"{pods}?labelSelector={LABEL}%3Dlate")["items"]
        for _ in range(200 - len(there)):
            made += 1
            make(f"new-{made}", True, "late")
            t.must("PATCH", f"{pods}/new-{made}/status", {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}},
                   "application/merge-patch+json")
        return made == 100 and status().get("missedPods") == 100
    assert wire.until(replaced, 2 * PATIENCE_S), f"{made} made, {status().get('missedPods')} missed"
    took_s = time.monotonic() - began
    left = [p["metadata"]["name"] for p in t.must("GET", f"{pods}?labelSelector={LABEL}%3Dlate")["items"]]
    print(f"200 uninjected pods counted {counted_s:.1f} s after the operator was ready (asked: 5); 100 replaced in {took_s:.0f} s, at most 600 a minute")
    assert took_s >= 99 * 0.1 and sum(name.startswith("bare-") for name in left) == 100 and not any(name.startswith("owned-") for name in left)


def a_mangled_sidecar_is_refused_or_made_whole(t):
    whole = sidecar_of(t.admitted(t.pod("coder")))
    strip = """[JSONPatch{op: 'remove', path: '/spec/initContainers/0/restartPolicy'}, JSONPatch{op: 'remove', path:
        '/spec/initContainers/0/startupProbe'}, JSONPatch{op: 'remove', path: '/spec/initContainers/0/livenessProbe'}].filter(p,
        has(object.spec.initContainers) && has(object.spec.initContainers[0].restartPolicy))"""
    weaken = """[JSONPatch{op: 'add', path: '/spec/initContainers/0/securityContext/runAsNonRoot', value: false}].filter(p,
        has(object.spec.initContainers))"""
    for order, (word, expression) in ((o, e) for o in "az" for e in (("restartPolicy", strip), ("securityContext", weaken))):
        t.mutator(f"{order}-{t.name}", expression)
        try:
            for _ in range(40):  # the API server applies a policy within seconds
                status, answer = t.create(t.pod("coder"))
                assert status == 201 and sidecar_of(answer) == whole or status == 403 and word in answer, f"{order} {word}: {status} {answer}"
                wire.until(lambda: False, 0.05)
        finally:
            t.unmutate()
            # A policy that runs before a webhook sees pods without a sidecar, so check one with another container, too.
            bare = t.pod("coder", initContainers=[{"name": "a", "image": "a:1"}])
            assert wire.until(lambda: t.create(t.pod("coder"))[0] == t.create(bare)[0] == 201, PATIENCE_S), "a policy that is gone is still obeyed"


def the_twin_refuses_every_fault_by_itself(t):
    """Uses a label without a binding, so that nothing is injected."""
    good = normal(t.admitted(t.pod("coder")))["spec"]
    def said(change):
        spec = copy.deepcopy(good)
        change(spec, spec["initContainers"][0])
        status, message = t.create(t.pod("coder-2", **spec))
        assert status == 403, f"{status} {message}"
        return message
    def of_nobody(spec, sidecar):
        volume(spec, "agent-memory-policy")["configMap"]["name"] = "coder-2-policy"
    def once(spec, sidecar):
        of_nobody(spec, sidecar)
        for field in ("restartPolicy", "startupProbe", "livenessProbe"):
            sidecar.pop(field)
    def floor(field, value):
        def change(spec, sidecar):
            of_nobody(spec, sidecar)
            sidecar["securityContext"][field] = value
        return change
    assert "is that of another Agent" in said(lambda spec, sidecar: None)
    assert "took restartPolicy" in said(once)
    for field, value in (("runAsNonRoot", False), ("allowPrivilegeEscalation", True), ("readOnlyRootFilesystem", False),
                         ("capabilities", {}), ("capabilities", {"drop": ["ALL"], "add": ["NET_ADMIN"]}),
                         ("runAsNonRoot", None)):
        assert "weakened the securityContext" in said(floor(field, value)), field


def placement_is_honoured_beside_another_native_sidecar(t):
    istio = {"name": "istio-proxy", "image": "i:1", "restartPolicy": "Always"}
    expected = {"First": ["memory", "istio-proxy", "seed"], "Last": ["istio-proxy", "seed", "memory"],
                "Before:seed": ["istio-proxy", "memory", "seed"], "After:istio-proxy": ["istio-proxy", "memory", "seed"],
                "After:nothing": ["memory", "istio-proxy", "seed"]}
    for i, (placement, order) in enumerate(expected.items()):
        t.give(t.agent(f"placed-{i}", injection={"foreignPods": True, "placement": placement}))
        t.serves(f"placed-{i}")
        pod = t.admitted(t.pod(f"placed-{i}", initContainers=[istio, {"name": "seed", "image": "s:1"}]))
        assert names(pod) == order, f"{placement}: {names(pod)}"


def explained(t, agents, pods):
    """The pods that `explain pod` prints, by name."""
    found = {}
    for at in range(0, len(pods), 50):
        documents = [*agents, *pods[at:at + 50]]
        text = "\n---\n".join(json.dumps(d) for d in documents)
        done = subprocess.run([binary("agent-memory-operator"), "explain", "pod", "-f", "-"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-500:]
        out = t.run("create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", "-", given=done.stdout)
        decoder, offset = json.JSONDecoder(), 0
        while offset < len(out.rstrip()):
            pod, offset = decoder.raw_decode(out, offset)
            for item in pod["items"] if pod["kind"] == "List" else [pod]:
                found[item["metadata"]["name"]] = item
            offset += len(out[offset:]) - len(out[offset:].lstrip())
    return found


def the_policy_and_the_renderer_are_equal(t):
    dice = random.Random(t.seed)
    agents = [random_agent(dice, t.agent(f"random-{i}")) for i in range(12)]
    for agent in agents:
        t.give(agent)
    for agent in agents:
        t.serves(agent["metadata"]["name"])
    pods = [random_pod(dice, t.pod(dice.choice(agents)["metadata"]["name"], f"pod-{i}")) for i in range(t.pods)]
    rendered, admitted = explained(t, agents, pods), 0
    for pod in pods:
        ours = rendered[pod["metadata"]["name"]]
        del ours["metadata"]["labels"][LABEL]
        a, b = t.create(ours), t.create(pod)
        assert a[0] == b[0], f"seed {t.seed}: {a} {b} {json.dumps(pod)}"
        admitted += a[0] == 201
        if a[0] == 201:
            left, right = json.dumps(normal(a[1]), sort_keys=True), json.dumps(normal(b[1]), sort_keys=True)
            assert left == right, f"seed {t.seed}: {json.dumps(pod)}\nexplain: {left}\n{t.mode}: {right}"
    print(f"seed {t.seed}: {admitted} of {len(pods)} random pods admitted, 0 differences between explain and the {t.mode}")
    assert admitted > 0.8 * len(pods), admitted


TESTS = [a_foreign_pod_gets_the_container_of_our_own_pods, pods_are_injected_while_the_operator_is_away,
         a_label_that_names_no_agent_is_refused_by_name, what_the_binding_names_is_gone_and_the_pod_is_refused,
         a_copy_of_an_injected_pod_and_a_second_mutator_change_nothing,
         a_declared_sidecar_keeps_image_and_resources_and_not_its_security,
         pods_that_no_sidecar_could_serve_are_left_as_they_are, missed_pods_are_counted_and_replaced_at_a_pace,
         a_mangled_sidecar_is_refused_or_made_whole,
         the_twin_refuses_every_fault_by_itself, placement_is_honoured_beside_another_native_sidecar,
         the_policy_and_the_renderer_are_equal]
# Tests of policies only; webhook_test.py tests the webhook.
POLICY_ALONE = [pods_are_injected_while_the_operator_is_away, what_the_binding_names_is_gone_and_the_pod_is_refused,
                the_twin_refuses_every_fault_by_itself]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--mode", choices=["policy", "webhook"], default="policy")
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--pods", type=int, default=1000)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options.add_argument("--only", default="", help="tests whose name has this in it")
    asked, failed = options.parse_args(), 0
    ran = [test for test in TESTS if asked.only in test.__name__ and (asked.mode == "policy" or test not in POLICY_ALONE)]
    with tempfile.TemporaryDirectory() as folder:
        t = Cluster(asked.kubectl, asked.kubeconfig, folder, asked.mode)
        t.pods, t.seed = asked.pods, asked.seed
        try:
            t.install()
            t.start()
            t.give(t.agent("coder"))
            t.serves("coder")
            t.refuses("nobody")
            for test in ran:
                try:
                    test(t)
                except (AssertionError, RuntimeError, KeyError, IndexError, OSError) as wrong:
                    failed += 1
                    print(f"FAILED {test.__name__}: {type(wrong).__name__} {str(wrong)[:3000]}")
        finally:
            t.close()
    print(f"{len(ran) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
