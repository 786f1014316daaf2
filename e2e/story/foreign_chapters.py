"""Foreign pods on a node: with the label they get the sidecar, and memory that survives a rollout; without the label they
stay unchanged. e2e/operator/foreign_pods_test.py tests the injected fields and the refusals."""
import json

import wire
from chapters import context_of
from on_cluster import READY_S, ready

POD = {"securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
       "containers": [{"name": "app", "image": "agent-memory/sample-agent:dev", "resources": {"requests": {"cpu": "10m"}},
                       "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}]}
AGENT = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": "guest"},
         "spec": {"mode": "task", "image": "agent-memory/sample-agent:dev", "injection": {"foreignPods": True},
                  "memory": {"serverRef": "agent-memory", "project": "guests"},
                  "toolHooks": {"memorySaveRules": [{"name": "errors", "tool": "bash", "matchOutput": "error"}]}}}


def deployment(name, **labels):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name, **labels}}, "spec": POD}}}


def foreign_pods(story):
    """By admission policy, if the API server supports it (since Kubernetes 1.36)."""
    serves(story, "auto", "p. Somebody else's Deployment: labelled it is served, through a rollout too; unlabelled it is left alone")


def by_webhook(story):
    serves(story, "webhook", "p2. The same by the operator's webhook, switched on in a release that runs")


def serves(story, mode, title):
    c, driver = story.checks, story.driver
    c.chapter(title)
    driver.upgrade("foreignPods.enabled=true", "foreignPods.mode=" + mode)
    policies = driver.try_kubectl("get", "mutatingadmissionpolicies", "-o", "name")[1]
    c.say("served by " + ("admission policy" if "agent-memory" in policies else "webhook"))
    labelled = {"agents.agentops.io/memory": "guest"}
    driver.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        AGENT, deployment("stranger", **labelled), deployment("bystander")]}))
    pod, plain = runs(driver, "stranger"), runs(driver, "bystander")
    c.equal([names(pod), names(plain)], [["memory"], []], "the sidecar is in the labelled pod, and in no other")
    c.that(plain and "AGENT_MEMORY_URL" not in json.dumps(plain["spec"]), "which has nothing of ours", plain)
    marker = mode + story.run
    lines = turn(driver, pod, "one", "Why does main.c not compile?", marker, "compile")
    c.equal([line["status"] for line in lines], [200] * len(lines), f"its turn of {len(lines)} events is acknowledged")
    c.that(wire.until(lambda: captured(driver, marker), 180, 0.3), "what the rule captured is at the server")
    driver.kubectl("rollout", "restart", "deployment/stranger")
    driver.kubectl("rollout", "status", "deployment/stranger", f"--timeout={READY_S}s")
    after = runs(driver, "stranger", other_than=pod)
    c.equal(names(after), ["memory"], "after a rollout its new pod has the sidecar")
    recalled = wire.until(lambda: marker in context_of(turn(driver, after, "two", f"What about main.c and {marker}?", marker)), 180, 0.5)
    c.that(recalled, "and is told of what the former one met")
    leave(story)


def runs(driver, app, other_than=None):
    """→ the pod of that Deployment as soon as it is ready; None after READY_S seconds."""
    old = other_than["metadata"]["uid"] if other_than else ""

    def found():
        return [p for p in driver.pods("app=" + app) if ready(p) and p["metadata"]["uid"] != old]
    pods = wire.until(found, READY_S, 0.3)
    return pods[0] if pods else None


def names(pod):
    return None if pod is None else [one["name"] for one in pod["spec"].get("initContainers", [])]


def turn(driver, pod, conversation, prompt, marker, tools=""):
    out = driver.kubectl("exec", pod["metadata"]["name"], "-c", "app", "--", "python3", "/agent.py", "turn", "--conversation",
                         conversation, "--prompt", prompt, "--tools", tools, "--marker", marker)
    return [json.loads(line) for line in out.splitlines()]


def captured(driver, marker):
    code, rows = driver.ask_server("GET", "/observations/recent?project=guests&limit=100")
    return [row for row in rows if marker in row["content"]] if code == 200 else []


def leave(story):
    story.driver.kubectl("delete", "deployment", "stranger", "bystander", "--ignore-not-found", "--timeout=300s")
    story.driver.kubectl("delete", "agent", "guest", "--ignore-not-found", "--timeout=300s")


FOREIGN_CHAPTERS = (foreign_pods, by_webhook)
