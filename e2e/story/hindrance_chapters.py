"""Objects of others that are in the way of an Agent's pod: the Agent says which, and what to set."""
import json

import wire

SPACE = "agents-hindered"
SAID_S, RUNS_S = 120, 300
QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "cpu"}, "spec": {"hard": {"limits.cpu": "4"}}}
AGENT = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": "held"},
         "spec": {"image": "agent-memory/sample-agent:dev"}}


def hindrances(story):
    c, driver = story.checks, story.driver
    c.chapter("b2. A quota asks for a limit of every container: the Agent says so, and what to set")
    driver.try_kubectl("create", "namespace", SPACE)
    driver.try_kubectl("label", "namespace", SPACE, "agent-memory-story=yes")
    try:
        for thing in (QUOTA, AGENT):
            driver.kubectl("apply", "-n", SPACE, "-f", "-", given=json.dumps(thing))

        def ready():
            found = driver.get("agent", "held", "-n", SPACE) or {}
            return next((one for one in found.get("status", {}).get("conditions", []) if one["type"] == "Ready"), {})
        wire.until(lambda: ready().get("reason") == "FailedCreate", SAID_S, 0.5)
        seen = ready()
        c.that(seen.get("reason") == "FailedCreate" and "limits.cpu" in seen["message"] and "spec.resources" in seen["message"],
               "Ready=False, FailedCreate, with the quota's words and the field", seen)
        c.say(seen.get("message", "")[:200])
        limits = {**AGENT, "spec": {**AGENT["spec"], "resources": {"limits": {"cpu": "1"}}}}
        driver.kubectl("apply", "-n", SPACE, "-f", "-", given=json.dumps(limits))
        wire.until(lambda: ready().get("status") == "True", RUNS_S, 0.5)
        c.equal(ready().get("status"), "True", "with the field set its pod runs")
    finally:
        driver.try_kubectl("delete", "namespace", SPACE, "--timeout=300s")
