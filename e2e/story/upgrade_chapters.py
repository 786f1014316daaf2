"""Changes of Agents whose pods run: a new sidecar in place, resources in place, a restart for other changes, and the
conditions while a container cannot start."""
import json
import os
import time

import wire

# The number of Agents at once, at least three; ten for a published result.
COUNT = max(3, int(os.environ.get("AGENT_MEMORY_STORY_UPGRADES", "3")))
UPGRADED_S = 180  # a kubelet takes a minute for a pod that changes right after a resize; the check prints the time
# The full name of the same image: for the kubelet it is another image.
OTHER_NAME = "docker.io/agent-memory/sidecar:dev"
NOWHERE = "agent-memory/nowhere:1"
AGENT = """
apiVersion: agents.agentops.io/v1alpha1
kind: Agent
metadata: {{name: {name}}}
spec:
  image: agent-memory/sample-agent:dev
  memory: {{serverRef: agent-memory}}
  storage: {{size: 16Mi, retain: false}}
"""
NAMES = [f"upgraded-{number}" for number in range(COUNT)]


def upgrades(story):
    c, driver = story.checks, story.driver
    c.chapter(f"j. {COUNT} running agents get a new sidecar, and back; nothing of theirs is started again")
    driver.kubectl("apply", "-f", "-", given="---".join(AGENT.format(name=name) for name in NAMES))
    for name in NAMES:
        driver.wait_ready("agents.agentops.io/agent=" + name, 1)
    first = {name: seen(driver, name) for name in NAMES}
    for image, times in ((OTHER_NAME, 1), (None, 2)):
        took = change(driver, NAMES, {"sidecar": {"image": image}}, lambda now, times=times: now["sidecar"] == (times, True))
        now = {name: seen(driver, name) for name in NAMES}
        c.that(took and all(now[name]["agent"] == first[name]["agent"] for name in NAMES),
               f"image {image or 'as before'}: every sidecar was started again once, no agent, no pod; all after {took or UPGRADED_S:.1f} s",
               {"first": first, "now": now})
    # The kubelet takes a minute: the other Agents change meanwhile.
    began = patch(driver, NAMES[:1], {"sidecar": {"resources": {"limits": {"memory": "192Mi"}}}})
    broken_sidecar(story, NAMES[1], first[NAMES[1]])
    restarts(story, NAMES[2])
    took = reached(driver, NAMES[:1], lambda now: now["limit"] == "192Mi", began)
    now = seen(driver, NAMES[0])
    c.that(took and now["agent"] == first[NAMES[0]]["agent"] and now["sidecar"] == (2, True),
           f"more memory for the sidecar: nothing was started again; after {took or UPGRADED_S:.1f} s", now)
    driver.kubectl("delete", "agent", *NAMES)


def broken_sidecar(story, name, first):
    c, driver = story.checks, story.driver
    driver.kubectl("patch", "agent", name, "--type=merge", "-p", json.dumps({"spec": {"sidecar": {"image": NOWHERE}}}))
    named = wire.until(lambda: said(driver, name, "container memory", NOWHERE), UPGRADED_S, 0.3)
    c.that(named, "a sidecar image that cannot be had: Ready is False and names container memory", driver.condition(name, "Ready"))
    c.equal(seen(driver, name)["agent"], first["agent"], "the agent runs on")
    took = change(driver, [name], {"sidecar": {"image": None}}, lambda now: now["sidecar"][1])
    c.that(took and seen(driver, name)["agent"] == first["agent"], "and back: the sidecar runs, the agent was not started again",
           seen(driver, name))


def restarts(story, name):
    c, driver = story.checks, story.driver
    before = seen(driver, name)
    took = change(driver, [name], {"env": {"GREETING": "hello"}}, lambda now: now["pod"] != before["pod"] and now["sidecar"][1])
    after = seen(driver, name)
    c.that(took, f"another environment: the pod was made anew and is ready after {took or UPGRADED_S:.1f} s", driver.get("agent", name))
    c.equal(driver.exec_agent(name, "sh", "-c", "echo $GREETING").strip(), "hello", "and has it")
    time.sleep(3)
    c.equal(seen(driver, name)["pod"], after["pod"], "once")
    driver.kubectl("patch", "agent", name, "--type=merge", "-p", json.dumps({"spec": {"image": NOWHERE}}))
    named = wire.until(lambda: said(driver, name, "container agent", NOWHERE), UPGRADED_S, 0.3)
    c.that(named, "an agent image that cannot be had: Ready is False and names container agent", driver.condition(name, "Ready"))
    took = change(driver, [name], {"image": "agent-memory/sample-agent:dev"}, lambda now: now["sidecar"][1])
    c.that(took, f"and back: ready after {took or UPGRADED_S:.1f} s", driver.get("agent", name))


def seen(driver, name):
    """→ the pod, the agent's container, the sidecar's (restarts, readiness), and its memory limit."""
    pod = driver.get("pod", f"{name}-0")
    if not pod:
        return {"pod": None, "agent": None, "sidecar": (0, False), "limit": None}
    status = pod.get("status", {})
    agent = next((one for one in status.get("containerStatuses", [])), {})
    sidecar = next((one for one in status.get("initContainerStatuses", []) if one["name"] == "memory"), {})
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions", []))
    return {"pod": pod["metadata"]["uid"], "agent": (agent.get("containerID"), agent.get("restartCount")),
            "sidecar": (sidecar.get("restartCount", 0), bool(ready and "running" in sidecar.get("state", {}))),
            "limit": sidecar.get("resources", {}).get("limits", {}).get("memory")}


def patch(driver, names, spec):
    """Patches the Agents' spec → the time at which it began."""
    began = time.monotonic()
    for name in names:
        driver.kubectl("patch", "agent", name, "--type=merge", "-p", json.dumps({"spec": spec}))
    return began


def reached(driver, names, until, began):
    """→ seconds since `began` until all pods satisfy `until` and the status agrees; None after another UPGRADED_S."""
    def there(name):
        agent = driver.get("agent", name)
        conditions = {one["type"]: one["status"] for one in agent["status"]["conditions"]}
        return (agent["status"].get("observedGeneration") == agent["metadata"]["generation"] and until(seen(driver, name))
                and conditions.get("UpToDate") == "True" and conditions.get("Ready") == "True")
    done = wire.until(lambda: all(there(name) for name in names), UPGRADED_S, 0.2)
    return time.monotonic() - began if done else None


def change(driver, names, spec, until):
    """Patches the Agents' spec → seconds until all pods satisfy `until` and the status agrees; None after UPGRADED_S."""
    return reached(driver, names, until, patch(driver, names, spec))


def said(driver, name, container, image):
    ready = driver.condition(name, "Ready")
    return ready.get("status") == "False" and container in ready.get("message", "") and image in ready.get("message", "")
