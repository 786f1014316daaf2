"""A memory server that the operator runs: an Agent that names it captures and recalls, its volume survives its deletion,
and its conditions report a missing image and a volume of a newer version, until both are reverted."""
import json
import os
import time

import wire
from on_cluster import READY_S

# The chapter goes_back takes a minute, and runs only with this variable, as in the GitHub workflow.
ALL = os.environ.get("AGENT_MEMORY_STORY_SERVERS") == "all"

AGENT = {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent", "metadata": {"name": "sharer"},
         "spec": {"image": "agent-memory/sample-agent:dev", "storage": {"size": "16Mi", "retain": False},
                  "memory": {"serverRef": "shared", "project": "shared"},
                  "toolHooks": {"memorySaveRules": [{"name": "errors", "tool": "bash", "matchOutput": "error"}]}}}
NOWHERE = "agent-memory/nowhere:1"
# Sets the schema version of every database of the volume, like a newer program; prints the former version.
SET_VERSION = """
import os, struct, sys
for name in os.listdir("/data"):
    if len(name) == 64:
        with open("/data/" + name, "r+b") as file:
            file.seek(60)
            print(struct.unpack(">I", file.read(4))[0])
            file.seek(60)
            file.write(struct.pack(">I", int(sys.argv[1])))
"""


def server(**spec):
    return {"apiVersion": "agents.agentops.io/v1alpha1", "kind": "MemoryServer", "metadata": {"name": "shared"}, "spec": spec}


def apply(driver, *objects):
    driver.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


def said(driver, kind):
    """→ (status and reason like "False NewerSchema", message)."""
    for one in (driver.get("memoryserver", "shared") or {}).get("status", {}).get("conditions", []):
        if one["type"] == kind:
            return one["status"] + " " + one["reason"], one["message"]
    return "-", ""


def becomes(driver, kind, wanted):
    wire.until(lambda: said(driver, kind)[0].startswith(wanted), READY_S, 0.3)
    return said(driver, kind)[0].startswith(wanted)


def with_volume(driver, number):
    """Runs SET_VERSION on the server's volume while no server runs → its output."""
    container = {"name": "c", "image": "agent-memory/sample-agent:dev", "command": ["python3", "-c", SET_VERSION, str(number)],
                 "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                 "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}
    apply(driver, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "versions"}, "spec": {
        "restartPolicy": "Never", "containers": [container],
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "fsGroup": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data-shared-0"}}]}})
    wire.until(lambda: driver.get("pod", "versions").get("status", {}).get("phase") in ("Succeeded", "Failed"), READY_S, 0.3)
    words = driver.kubectl("logs", "versions").split()
    driver.kubectl("delete", "pod", "versions", "--now")
    return words


def remembers(driver, marker, conversation):
    """True if a turn of a new conversation gets the capture."""
    lines = driver.turn("sharer", conversation, f"What about main.c and {marker}?")
    return marker in json.dumps(lines)


def serves(story):
    c, driver, marker = story.checks, story.driver, "shared" + story.run
    c.chapter("k. A MemoryServer and an Agent that names it: two objects, and the agent remembers")
    began = time.monotonic()
    apply(driver, server(storage={"size": "64Mi"}), AGENT)
    code, _, error = driver.try_kubectl("wait", "memoryserver/shared", "--for=condition=Ready", f"--timeout={READY_S}s")
    c.equal(code, 0, f"kubectl wait --for=condition=Ready: after {time.monotonic() - began:.1f} s {error.strip()}")
    driver.wait_ready("agents.agentops.io/agent=sharer")
    driver.turn("sharer", "one-" + marker, "Why does main.c not compile?", "compile", marker)
    c.that(wire.until(lambda: remembers(driver, marker, f"two-{time.monotonic()}-{marker}"), 180, 0.5),
           "what a tool said in one conversation is told in the next")

    def counted():  # the operator counts once a minute, and when the object changes
        driver.kubectl("annotate", "memoryserver", "shared", "--overwrite", f"look={time.monotonic()}")
        return driver.get("memoryserver", "shared")["status"].get("rows")
    wire.until(counted, 180, 0.5)
    for line in driver.kubectl("get", "memoryservers", "-o", "wide").rstrip().split("\n"):
        c.say("| " + line)
    status = driver.get("memoryserver", "shared")["status"]
    c.that(status.get("rows", 0) > 0 and status.get("bytes", 0) > 0 and status.get("version"), "version, rows and bytes are in its status", status)
    c.that(said(driver, "TokensReviewed")[0] == "False ByKeys", "and that nobody gave it the right to review tokens", status)


def goes_back(story):
    c, driver, marker = story.checks, story.driver, "shared" + story.run
    c.chapter("l. An image that cannot be had, a volume of a newer version, another MemoryServer of its name")
    apply(driver, server(storage={"size": "64Mi"}, image=NOWHERE))
    named = wire.until(lambda: NOWHERE in said(driver, "Ready")[1] and "container server" in said(driver, "Ready")[1], READY_S, 0.3)
    c.that(named, "an image that cannot be had: Ready is False and names it", said(driver, "Ready"))
    apply(driver, server(storage={"size": "64Mi"}))
    c.that(becomes(driver, "Ready", "True"), "and back: ready again, no pod was deleted by hand", said(driver, "Ready"))
    driver.kubectl("delete", "memoryserver", "shared", "--timeout=300s")
    wire.until(lambda: not driver.pods("agents.agentops.io/memory-server=shared"), 180, 0.3)
    c.that(not driver.get("service", "shared") and driver.get("pvc", "data-shared-0"), "deleted: its objects go, its volume stays")
    wire.until(lambda: not driver.get("pod", "shared-0"), 180, 0.3)
    was = with_volume(driver, 999)
    apply(driver, server(storage={"size": "64Mi"}))
    c.that(becomes(driver, "Ready", "False VolumeNotAdopted"), "another of its name does not take it in silence", said(driver, "Ready"))
    apply(driver, server(storage={"size": "64Mi", "adopt": True}))
    c.that(becomes(driver, "Stalled", "True NewerSchema"), "adopted, and written by a newer version: Stalled says so", said(driver, "Ready"))
    driver.kubectl("delete", "memoryserver", "shared", "--timeout=300s")
    wire.until(lambda: not driver.get("pod", "shared-0"), 180, 0.3)
    c.equal(with_volume(driver, was[0]), ["999"] * len(was), "its files were not touched")
    apply(driver, server(storage={"size": "64Mi", "adopt": True}))
    c.that(becomes(driver, "Ready", "True") and wire.until(lambda: remembers(driver, marker, f"three-{time.monotonic()}"), 180, 0.5),
           "with its own version again: everything is remembered", said(driver, "Ready"))


def leave(story):
    driver = story.driver
    driver.kubectl("delete", "agent", "sharer", "--timeout=300s")
    driver.kubectl("delete", "memoryserver", "shared", "--timeout=300s")
    driver.kubectl("delete", "pvc", "data-shared-0", "--timeout=300s")


SERVER_CHAPTERS = (serves, *((goes_back,) if ALL else ()), leave)
