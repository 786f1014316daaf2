"""Deletes Agents, then their namespace, while the memory server is away and captures wait: the volumes of deleted Agents
stay, and the namespace goes. e2e/operator/retained_volumes_test.py tests many Agents without a node."""
import json
import time

import wire
from on_cluster import NAMESPACE, NEXT_DOOR, ready

COUNT = 4
GONE_S = 180  # 60 on an idle machine
NAMES = [f"leaver-{number}" for number in range(COUNT)]


def agent(name):
    return {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": name},
            "spec": {"image": "agent-memory/sample-agent:dev", "storage": {"size": "16Mi"},
                     "memory": {"serverRef": f"{NAMESPACE}/agent-memory", "project": "leavers"},
                     "toolHooks": {"memorySaveRules": [{"name": "errors", "tool": "bash", "matchOutput": "error"}]}}}


def namespace_goes(story):
    c, driver = story.checks, story.driver
    c.chapter("o. Agents, then their namespace, are deleted while the server is away and captures wait")
    if not driver.get("namespace", NEXT_DOOR):
        driver.make(NEXT_DOOR)
    there = ("-n", NEXT_DOOR)
    driver.kubectl("apply", *there, "-f", "-", given=json.dumps(
        {"apiVersion": "v1", "kind": "List", "items": [agent(name) for name in NAMES]}))
    up = wire.until(lambda: sum(ready(pod) for pod in driver.get("pods", *there)["items"]) == COUNT, 120, 0.5)
    c.that(up, f"{COUNT} agents of the namespace {NEXT_DOOR} run", driver.get("pods", *there))
    driver.server_down()
    waiting = [captured(driver, name, "gone" + story.run) for name in NAMES]
    c.that(min(waiting) > 0, "the server is away: captures wait in each outbox", waiting)
    claims = claims_of(driver)
    deleted, stays = NAMES[:-1], NAMES[-1]
    driver.kubectl("delete", "agents", *deleted, *there, "--timeout=300s")
    went = wire.until(lambda: len(driver.get("pods", *there)["items"]) == 1, GONE_S, 0.3)
    c.that(went, f"{len(deleted)} Agents are deleted, and their pods go within {GONE_S} s", driver.get("pods", *there))
    c.equal(claims_of(driver), claims, f"{len(claims)} of {COUNT} claims are there, none on its way out")
    driver.kubectl("delete", "namespace", NEXT_DOOR, "--wait=false")
    began = time.monotonic()
    gone = wire.until(lambda: not driver.get("namespace", NEXT_DOOR), GONE_S * 2, 0.3)
    took = time.monotonic() - began
    c.that(gone and took <= GONE_S, f"the namespace, {stays} with its captures in it, is gone after {took:.1f} s (at most {GONE_S})",
           driver.get("namespace", NEXT_DOOR))
    driver.server_up()


def captured(driver, name, marker):
    """Lets a tool of that agent fail → the number of captures that wait in its outbox."""
    call = ("exec", "-n", NEXT_DOOR, f"{name}-0", "-c", "agent", "--", "python3", "/agent.py")
    driver.kubectl(*call, "turn", "--conversation", "c", "--prompt", "Does it compile?", "--tools", "compile", "--marker", marker)
    return json.loads(json.loads(driver.kubectl(*call, "call", "GET", "/v1/status"))["body"]).get("pending", 0)


def claims_of(driver):
    found = driver.get("pvc", "-n", NEXT_DOOR)["items"]
    return sorted((one["metadata"]["name"], one["metadata"]["uid"], one["status"]["phase"]) for one in found
                  if not one["metadata"].get("deletionTimestamp"))


NAMESPACE_CHAPTERS = (namespace_goes,)
