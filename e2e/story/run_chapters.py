"""Agents of mode task on a real cluster: a run ends when its agent does, even if its sidecar still has work, and the
agent's last write reaches the server. scripts/bench/task_runs.py measures the same over many runs."""
import json
import time

import wire
from on_cluster import READY_S

GRACE_S = 30  # the default of pods
LATE_S = 15  # 5 on an idle machine; less than the time that a sidecar has for its deliveries
# Fails if the sidecar does not listen yet, since it never retries. Its save is its last act.
AGENT = """
import http.client, json, os, signal, sys
def hook(name, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", 7437, timeout=20)
    body = json.dumps({"hook_event_name": name, "session_id": "run", **fields})
    connection.request("POST", "/v1/hooks", body, {"Content-Type": "application/json"})
    if connection.getresponse().status != 200:
        os._exit(98)
def save(*_):
    hook("PostToolUse", tool_name="bash", tool_use_id=sys.argv[1], tool_input={"command": "make"},
         tool_response={"stdout": "error: " + sys.argv[1]})
    os._exit(int(sys.argv[2]))
hook("UserPromptSubmit", prompt=os.environ["AGENT_PROMPT"])
if sys.argv[3:] == ["wait"]:
    signal.signal(signal.SIGTERM, save)
    print("waits", flush=True)
    while True:
        signal.pause()
save()
"""


def task(name, **pod):
    """An Agent of mode task that runs AGENT; `pod`: fields of its pod's spec."""
    container = {"name": "agent", "image": "agent-memory/sample-agent:dev", "command": ["python3", "-u", "-c", AGENT],
                 "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}
    security = {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}}
    rule = {"name": "errors", "tool": "bash", "matchOutput": "error"}
    return {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": name},
            "spec": {"mode": "task", "memory": {"serverRef": "agent-memory", "project": "once"},
                     "toolHooks": {"memorySaveRules": [rule]},
                     "template": {"spec": {"containers": [container], "securityContext": security, **pod}}}}


def run(name, agent, args, **spec):
    return {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "AgentRun", "metadata": {"name": name},
            "spec": {"agentRef": agent, "prompt": f"Do {name} for $(HOME) at $5.", "args": args, **spec}}


def apply(driver, *objects):
    driver.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


def status(driver, name):
    return (driver.get("agentrun", name) or {}).get("status", {})


def truths(found):
    """→ "Ready Succeeded Stalled reason"."""
    by_type = {c["type"]: c for c in found.get("conditions", [])}
    words = [by_type.get(kind, {}).get("status", "-") for kind in ("Ready", "Succeeded", "Stalled")]
    return " ".join(words + [by_type.get("Succeeded", {}).get("reason", "-")])


def ended(driver, name, within_s=READY_S):
    """→ the run's status after its end, or after `within_s` seconds."""
    wire.until(lambda: "completionTime" in status(driver, name), within_s, 0.3)
    return status(driver, name)


def saved(driver):
    """→ the server's observations of the tasks' project."""
    code, rows = driver.ask_server("GET", "/observations/recent?project=once&limit=1000")
    return rows if code == 200 else []


def runs(story):
    c, driver = story.checks, story.driver
    c.chapter("g. An Agent of mode task: each AgentRun is a Job that ends when its agent does")
    good, bad = "good" + story.run, "bad" + story.run
    apply(driver, run("early", "once", [good, "0"]))
    wire.until(lambda: truths(status(driver, "early")).endswith("AgentNotFound"), 180, 0.1)
    c.equal(truths(status(driver, "early")), "False Unknown False AgentNotFound", "a run waits for its Agent")
    apply(driver, task("once"))
    code, _, error = driver.try_kubectl("wait", "agentrun/early", "--for=condition=Succeeded", f"--timeout={READY_S}s")
    c.equal(code, 0, "the Agent appears; kubectl wait --for=condition=Succeeded: " + error.strip())
    seen = status(driver, "early")
    c.equal((truths(seen), seen.get("exitCode"), seen.get("undelivered")), ("True True False Completed", 0, 0),
            "it succeeded with exit code 0, nothing undelivered")
    apply(driver, run("failing", "once", [bad, "3"]))
    seen = ended(driver, "failing")
    c.equal((truths(seen), seen.get("exitCode"), seen.get("undelivered")), ("False False True AgentFailed", 3, 0),
            "another ends with exit code 3, and is not tried again")
    texts = [row["content"] for row in saved(driver)]
    for name, marker in (("early", good), ("failing", bad)):
        c.equal(sum(marker in text for text in texts), 1, f"what {name} saved last is at the server, once")
        session = status(driver, name).get("session")
        _, sessions = driver.ask_server("GET", "/sessions/recent?project=once&limit=50")
        mine = [s for s in sessions if s["id"] == session]
        c.that(mine and f"Do {name} for $(HOME) at $5." in (mine[0].get("summary") or ""),
               "its session is ended, and began with the prompt as it was written", sessions)
    for line in driver.kubectl("get", "agentruns").rstrip().split("\n"):
        c.say("| " + line)
    before = driver.get("agentrun", "early")["metadata"]["resourceVersion"]
    driver.kubectl("delete", "job", "early", "--timeout=300s")
    driver.kubectl("delete", "agent", "once", "--timeout=300s")
    apply(driver, task("once"))
    wire.until(lambda: driver.condition("once", "Ready").get("status") == "True", 180, 0.2)
    c.equal(driver.get("agentrun", "early")["metadata"]["resourceVersion"], before,
            "an ended run is not written again though its Job and its Agent are gone")


def slow_ends(story):
    c, driver = story.checks, story.driver
    c.chapter("h. A sidecar that is slow to end, or is killed, does not hold up or fail its Job")
    marker = "slow" + story.run
    apply(driver, task("once"), task("hasty", terminationGracePeriodSeconds=2))
    wire.until(lambda: driver.condition("hasty", "Ready").get("status") == "True", 180, 0.2)
    driver.server_down()
    apply(driver, run("slow", "once", [marker, "0"], storage={"size": "1Gi"}), run("killed", "hasty", [marker, "0"]))
    for name, grace_s in (("slow", GRACE_S), ("killed", 2)):
        wire.until(lambda name=name: agent_ended(driver, name), READY_S, 0.1)
        started = time.monotonic()
        seen = ended(driver, name)
        took = time.monotonic() - started
        c.that(took <= grace_s + LATE_S, f"{name}: complete {took:.1f} s after its agent (at most {grace_s + LATE_S})")
        c.equal((truths(seen), seen.get("exitCode")), ("True True False Completed", 0), "by its agent's exit code")
        c.say(f"sidecar's exit code {sidecar_exit(driver, name)}, undelivered {seen.get('undelivered', 'unknown')}")
    c.that(status(driver, "slow").get("undelivered", 0) > 0, "status counts what was not delivered", status(driver, "slow"))
    c.equal(driver.condition("once", "MemoryEndpointsReady").get("status"), "False",
            "the server was away at the pod's first start: the agent ran, and MemoryEndpointsReady says so")
    driver.server_up()
    driver.kubectl("delete", "agentrun", "slow", "--timeout=300s")
    wire.until(lambda: not driver.get("job", "slow"), 180, 0.3)
    again = run("slow", "once", ["more" + marker, "0"], storage={"size": "1Gi"})
    apply(driver, again)
    wire.until(lambda: "VolumeNotAdopted" in truths(status(driver, "slow")), 180, 0.2)
    c.equal(truths(status(driver, "slow")), "False Unknown True VolumeNotAdopted", "its volume is kept, not taken in silence")
    driver.kubectl("delete", "agentrun", "slow", "--timeout=300s")
    again["spec"]["storage"]["adopt"] = True
    apply(driver, again)
    seen = ended(driver, "slow")
    found = [row for row in saved(driver) if "error: " + marker in row["content"]]
    c.equal((truths(seen), seen.get("undelivered"), len(found)), ("True True False Completed", 0, 1),
            "the next run on that volume delivers what the last one could not")


def blockers(story):
    c, driver = story.checks, story.driver
    c.chapter("i. A run that cannot start names the container that keeps it from that")
    agent, sidecar = task("no-agent"), task("no-sidecar")
    agent["spec"]["template"]["spec"]["containers"][0]["image"] = "agent-memory/nowhere:dev"
    sidecar["spec"]["sidecar"] = {"image": "agent-memory/nowhere:dev"}
    apply(driver, agent, sidecar, run("no-agent", "no-agent", []), run("no-sidecar", "no-sidecar", []))
    for name, blocking in (("no-agent", "agent"), ("no-sidecar", "memory")):
        def named(name=name, blocking=blocking):
            ready = next((k for k in status(driver, name).get("conditions", []) if k["type"] == "Ready"), {})
            return ready if f"container {blocking} of pod" in ready.get("message", "") else None
        ready = wire.until(named, READY_S, 0.3) or {}
        c.that(ready.get("reason") in ("ErrImagePull", "ImagePullBackOff"), f"{name}: {ready.get('message', '')[:100]}",
               status(driver, name))
    driver.kubectl("delete", "agentrun", "no-agent", "no-sidecar", "--timeout=300s")


def pod_of(driver, name):
    found = driver.get("pods", "-l", "agents.agentops.io/run=" + name)["items"]
    return found[0] if found else None


def container(pod, kind, name):
    return next((s for s in (pod or {}).get("status", {}).get(kind, []) if s["name"] == name), {})


def agent_ended(driver, name):
    return "terminated" in container(pod_of(driver, name), "containerStatuses", "agent").get("state", {})


def sidecar_exit(driver, name):
    return container(pod_of(driver, name), "initContainerStatuses", "memory").get("state", {}).get(
        "terminated", {}).get("exitCode")


def count(driver, total, at_once=4, tag="r"):
    """Starts `total` runs, and ends every second one by deleting its pod → counts: among them the runs whose record is
    at the server, whose agent reached the sidecar at its first try, and that ended."""
    apply(driver, task("once"))
    wire.until(lambda: driver.condition("once", "Ready").get("status") == "True", 180, 0.2)
    todo, going, seen = list(range(total)), {}, {}
    while todo or going:
        fresh = [todo.pop(0) for _ in range(min(at_once - len(going), len(todo)))]
        if fresh:
            apply(driver, *(run(f"{tag}{n}", "once", [f"{tag}{n}x", "0"] + (["wait"] if n % 2 else [])) for n in fresh))
        going.update({n: time.monotonic() for n in fresh})
        for n in list(going):
            name = f"{tag}{n}"
            if n % 2 and n not in seen and running(driver, name):
                seen[n] = {}
                driver.kubectl("delete", "pod", "-l", "agents.agentops.io/run=" + name, "--wait=false")
            found = status(driver, name)
            if "completionTime" in found or time.monotonic() - going[n] > READY_S:
                seen[n] = found
                del going[n]
        time.sleep(0.2)
    texts = [row["content"] for row in saved(driver)]
    return {"runs": total, "deleted": sum(n % 2 for n in range(total)),
            "delivered": sum(any(f"error: {tag}{n}x" in text for text in texts) for n in range(total)),
            "first connect": sum(seen[n].get("exitCode") == 0 for n in range(0, total, 2)),
            "ended": sum("completionTime" in seen[n] for n in range(total)),
            "undelivered": sum(seen[n].get("undelivered", 0) for n in range(total)),
            "odd": [(f"{tag}{n}", truths(seen[n]), seen[n].get("exitCode")) for n in range(total)
                    if not (n % 2 or truths(seen[n]) == "True True False Completed")]}


def running(driver, name):
    """True if the agent waits with its signal handler in place, which it prints."""
    code, out, _ = driver.try_kubectl("logs", "-l", "agents.agentops.io/run=" + name, "-c", "agent")
    return code == 0 and "waits" in out


def many_runs(story):
    c = story.checks
    c.chapter("j. Ten runs: the agent finds the sidecar at its first try, and its last record is at the server")
    seen = count(story.driver, 10, tag="n" + story.run)
    c.equal((seen["delivered"], seen["ended"], seen["first connect"]), (10, 10, 5), f"{seen}")


RUN_CHAPTERS = (runs, slow_ends, blockers, many_runs)
