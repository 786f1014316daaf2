"""Chapters that need a real cluster: the table of kubectl, refused Agents, an Agent that heals when its server
appears, users and isolation, and the volume of a deleted Agent. Lists the chapters of all other files."""
import time

import routes
import wire
from chapters import (captures, figures, manifest, policy, recall, server_away, survival, turns)
from driver import sample
from foreign_chapters import FOREIGN_CHAPTERS
from hindrance_chapters import hindrances
from metrics_chapters import METRICS_CHAPTERS
from namespace_chapters import NAMESPACE_CHAPTERS
from network_chapters import address_families
from node_chapters import NODE_CHAPTERS
from on_cluster import AUDIENCE, NEXT_DOOR
from operator_chapters import OPERATOR_CHAPTERS
from people_chapters import people
from run_chapters import RUN_CHAPTERS
from server_chapters import SERVER_CHAPTERS
from shared_chapters import shared_memory
from systems_chapters import SYSTEMS_CHAPTERS
from uninstall_chapters import UNINSTALL_CHAPTERS
from upgrade_chapters import upgrades

CONNECT = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 7437), 3).close()
    print("open")
except OSError as failure:
    print(type(failure).__name__)
"""
HEAL_S = 10.0  # 2 on an idle machine: each look takes two calls of kubectl
SETTLE_S = 120

BAD_AGENTS = {  # description: (old text of the sample, new text, the word that the refusal must contain)
    "a regular expression that does not compile": ("'error|panic|fatal'", "'error|(panic'", "matchOutput"),
    "contextLimit 51": ("contextLimit: 5", "contextLimit: 51", "contextLimit"),
    "serverRef with a URL in it": ("serverRef: agent-memory ", "serverRef: evil.example/x? ", "serverRef"),
    "an unknown field in memory": ("contextLimit: 5", "contextLimits: 5", "contextLimits"),
    "a name of 53 characters": ("name: coder,", "name: " + "c" * 53 + ",", "name"),
}
STRANDED = """
apiVersion: agents.agentops.io/v1alpha1
kind: Agent
metadata: {name: stranded}
spec:
  image: agent-memory/sample-agent:dev
  memory: {serverRef: late-memory}
"""
LATE_SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: late-memory}
spec:
  selector: {app.kubernetes.io/instance: agent-memory, app.kubernetes.io/component: memory}
  ports: [{name: memory, port: 7437, targetPort: memory}]
"""


def table(story):
    c, driver = story.checks, story.driver
    c.chapter("a. kubectl get agents")
    wire.until(lambda: driver.condition("coder", "Ready").get("status") == "True", SETTLE_S, 0.3)
    lines = driver.kubectl("get", "agents").rstrip().split("\n")
    for line in lines:
        c.say("| " + line)
    c.equal(lines[0].split(), ["NAME", "MODE", "MEMORY", "READY", "REASON", "AGE"], "the columns")
    row = next((line.split() for line in lines if line.startswith("coder ")), [])
    c.that(row[1:4] == ["daemon", "http://agent-memory.agents.svc.cluster.local:7437", "True"],
           "coder is a daemon, its memory resolved, ready", driver.get("agent", "coder").get("status"))
    status = driver.get("agent", "coder")
    c.equal(status.get("status", {}).get("observedGeneration"), status["metadata"]["generation"], "observedGeneration")


def lost_pod(story):
    c, driver = story.checks, story.driver
    c.chapter("a2. A pod is lost: its Agent says so")
    # Settled: a reconcile that is asking the sidecar for its policy waits up to a second for a pod that is gone.
    wire.until(lambda: driver.condition("other", "PolicyInSync").get("status") == "True", SETTLE_S, 0.3)
    driver.kubectl("delete", "pod", "other-0", "--grace-period=0", "--force", "--wait=false")
    started = time.monotonic()
    said = wire.until(lambda: driver.condition("other", "Ready").get("status") == "False", SETTLE_S, 0.05)
    took = time.monotonic() - started
    c.that(said and took <= HEAL_S, f"Ready=False {took:.1f} s after the pod went (at most {HEAL_S:g} s)",
           driver.condition("other", "Ready"))
    back = wire.until(lambda: driver.condition("other", "Ready").get("status") == "True", SETTLE_S * 2, 0.3)
    c.that(back, "and Ready=True once its next pod is", driver.condition("other", "Ready"))


def refusals(story):
    c, driver = story.checks, story.driver
    c.chapter("b. Bad Agents are refused with the field named")
    for what, (old, new, word) in BAD_AGENTS.items():
        text = sample("coder").replace(old, new, 1)
        if text == sample("coder"):
            c.that(False, f"{what}: the sample has no {old!r} to change")
            continue
        code, _, error = driver.try_kubectl("apply", "-f", "-", given=text.replace("name: coder,", "name: bad,"))
        if c.that(code != 0 and word in error, f"{what}: refused, naming {word}", error or "accepted"):
            c.say(error.strip().split("\n")[-1][:150])
    driver.try_kubectl("delete", "agent", "bad", "--ignore-not-found")


def healing(story):
    c, driver = story.checks, story.driver
    c.chapter("c. serverRef to a Service that is not there, and then is")
    driver.kubectl("apply", "-f", "-", given=STRANDED)
    wire.until(lambda: driver.condition("stranded", "MemoryResolved").get("status") == "False", SETTLE_S, 0.1)
    condition = driver.condition("stranded", "MemoryResolved")
    c.that(condition.get("status") == "False" and "late-memory" in condition.get("message", ""),
           "MemoryResolved=False, naming the Service", condition)
    c.say(condition.get("message", ""))
    driver.kubectl("apply", "-f", "-", given=LATE_SERVICE)
    started = time.monotonic()
    healed = wire.until(lambda: driver.condition("stranded", "MemoryResolved").get("status") == "True", SETTLE_S, 0.05)
    took = time.monotonic() - started
    c.that(healed and took <= HEAL_S, f"healed {took:.1f} s after the Service appeared (at most {HEAL_S:g} s)",
           driver.condition("stranded", "MemoryResolved"))
    driver.kubectl("delete", "agent", "stranded")
    driver.kubectl("delete", "service", "late-memory")


def confinement(story):
    c, driver = story.checks, story.driver
    c.chapter("d. Who runs as whom, and what the agent cannot read")
    uid = driver.exec_agent("coder", "python3", "-c", "import os; print(os.getuid())").strip()
    c.that(uid not in ("0", ""), f"the agent runs as uid {uid}")
    pod = driver.pod("coder")
    sidecar = next((s for s in pod["spec"].get("initContainers", []) if s["name"] == "memory"), None)
    c.that(sidecar and sidecar.get("restartPolicy") == "Always" and pod["spec"]["initContainers"][0] is sidecar,
           "the sidecar is the first init container, restarted always: a native sidecar")
    for process in sidecar_uids(pod):
        c.that(process != 0, f"the sidecar runs as uid {process}")
    context = {**pod["spec"].get("securityContext", {}), **((sidecar or {}).get("securityContext") or {})}
    c.that(context.get("runAsNonRoot") is True, "and may not run as root", context)
    seen = driver.exec_agent("coder", "sh", "-c", "find / -path /proc -prune -o -name 'state.db*' -print 2>/dev/null; true")
    c.equal(seen.strip(), "", "state.db is nowhere in the agent's file system")
    said = driver.exec_agent("quiet", "python3", "-c", CONNECT, pod["status"]["podIP"]).strip()
    c.that(said != "open", f"another Agent's pod cannot connect to its working memory: {said}")
    written = driver.exec_agent("coder", "sh", "-c", "echo kept > /data/mine && cat /data/mine").strip()
    c.equal(written, "kept", "/data is the agent's own, and writable")


def sidecar_uids(pod):
    """The uids of the sidecar's processes, if the node is this machine."""
    from on_cluster import SIDECAR, host_processes, program_of
    found = []
    for pid in host_processes(pod["metadata"]["uid"]):
        if program_of(pid) == SIDECAR:
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                found += [int(line.split()[1]) for line in file if line.startswith("Uid:")]
    return found


def two_namespaces(story):
    """The same Agent, the same project, the same server, another namespace."""
    c, driver = story.checks, story.driver
    c.chapter("e. An Agent of the same name and project in another namespace: neither sees a byte of the other")
    text = sample("coder").replace("namespace: agents", f"namespace: {NEXT_DOOR}")
    driver.kubectl("apply", "-n", NEXT_DOOR, "-f", "-", given=text.replace("serverRef: agent-memory ", "serverRef: agents/agent-memory "))
    there = wire.until(lambda: (driver.get("agent", "coder", "-n", NEXT_DOOR) or {}).get("status", {}).get(
        "memory", {}).get("url"), SETTLE_S, 0.3)
    c.equal(there, driver.status_url("coder"), "its serverRef agents/agent-memory is granted, and the same server")
    up = wire.until(lambda: driver.try_kubectl("exec", "-n", NEXT_DOOR, "coder-0", "-c", "agent", "--", "true")[0] == 0,
                    SETTLE_S * 3, 0.5)
    c.that(up, "its pod runs")
    mine, theirs = story.markers[0], "nextdoor" + story.run
    out = driver.kubectl("exec", "-n", NEXT_DOOR, "coder-0", "-c", "agent", "--", "python3", "/agent.py", "turn",
                         "--conversation", "c", "--prompt", "Does main.c compile?", "--tools", "compile", "--marker", theirs)
    c.that(mine not in out, "its turn is told nothing of ours")
    token = driver.token(NEXT_DOOR)

    def rows(as_token):
        return driver.ask_server_as(as_token, "GET", "/observations/recent?limit=1000")[1]
    arrived = wire.until(lambda: [r for r in rows(token) if theirs in r["content"]], SETTLE_S, 0.5)
    c.that(arrived, "what its rule captured is in its memory", rows(token))
    ours = rows(driver.token())
    c.that(theirs not in str(ours) and mine in str(ours), "ours has what is ours, and nothing of it")
    strangers_at_every_route(story, token, ours)
    c.equal(rows(driver.token()), ours, "and all of ours is as it was")
    driver.kubectl("delete", "agent", "coder", "-n", NEXT_DOOR, "--timeout=300s")


def strangers_at_every_route(story, token, ours):
    """Calls every route about a row of ours with the other namespace's token, without a token, with a forged one, and with
    tokens for other audiences."""
    c, driver = story.checks, story.driver
    row = max(ours, key=lambda r: r["id"])
    about = {"$observation": row["id"], "$session": row["session_id"], "$word": story.markers[0], "$project": "coder", "$conversation": "c",
             "$agent": "coder", "$trace": "mt_a", "$other": "mt_b", "$run": "r", "$turn": "t"}
    document = driver.ask_server_as(driver.token(), "GET", "/openapi.json")[1]
    # Of each route but /health, which answers every caller.
    asked = [routes.request(one, about) for name, one in routes.operations(document).items() if name != "get_health"]
    bad = {"no token": "", "a forged token": driver.token().rsplit(".", 1)[0] + "." + token.rsplit(".", 1)[1],
           "a token for another server": driver.token(audience="agent-memory.agents.another"),
           "a token for the API server": driver.token(audience="https://kubernetes.default.svc.cluster.local")}
    tries = [(what, wrong, *one) for one in asked for what, wrong in [*bad.items(), ("", token)]]
    seen, let_in = [], []
    for (what, _, method, path, _), (status, answer) in zip(tries, driver.ask_server_all([t[1:] for t in tries])):
        if what and status != 401:
            let_in.append(f"{method} {path} with {what}: {status}")
        if not what and (story.markers[0] in str(answer) or (f"/observations/{row['id']}" in path and status != 404)):
            seen.append(f"{method} {path}: {status}")
    c.equal(let_in, [], f"401 on {len(asked)} routes without a token, with a forged one, with one for another audience")
    c.equal(seen, [], f"next door finds nothing of ours on {len(asked)} routes; our rows are not there for it")


def deletion(story):
    c, driver = story.checks, story.driver
    c.chapter("f. An Agent is deleted: its objects go, its volume stays, and is not adopted in silence")
    pod = driver.pod("quiet")
    claims = [v["persistentVolumeClaim"]["claimName"] for v in pod["spec"]["volumes"] if "persistentVolumeClaim" in v]
    driver.kubectl("delete", "agent", "quiet", "--timeout=300s")

    def left():
        return [i["kind"] + "/" + i["metadata"]["name"] for i in driver.get(
            "statefulset,configmap,serviceaccount,pod")["items"] if i["metadata"]["name"].startswith("quiet")]
    wire.until(lambda: not left(), SETTLE_S * 2, 0.3)
    c.equal(left(), [], "StatefulSet, ConfigMap, ServiceAccount and pod are gone")
    kept = [claim for claim in claims if driver.get("pvc", claim)]
    c.that(claims and kept == claims, f"the volume stays: {', '.join(claims)}", kept)
    driver.kubectl("apply", "-f", "-", given=sample("quiet"))
    wire.until(lambda: driver.condition("quiet", "VolumeReady").get("status") == "False", SETTLE_S, 0.2)
    condition = driver.condition("quiet", "VolumeReady")
    c.that(condition.get("status") == "False" and "adopt" in condition.get("message", ""),
           "a new Agent of that name waits, and says how to adopt or delete", condition)
    c.say(condition.get("message", ""))
    c.that(not [p for p in driver.pods("agents.agentops.io/agent=quiet") if p["status"].get("phase") == "Running"],
           "and nothing runs on the old volume")
    adopted = sample("quiet").replace("storage: {size: 1Gi}", "storage: {size: 1Gi, adopt: true}")
    driver.kubectl("apply", "-f", "-", given=adopted)
    wire.until(lambda: driver.condition("quiet", "VolumeReady").get("status") == "True", SETTLE_S, 0.2)
    c.equal(driver.condition("quiet", "VolumeReady").get("status"), "True", "with storage.adopt it takes it")


def survival_of_pods(story):
    """Repeats survival() with deleted pods instead of killed containers."""
    survival(story, "5b. The same with every pod deleted")


CLUSTER_CHAPTERS = (manifest, table, lost_pod, turns, captures, recall, survival, survival_of_pods, server_away, policy, refusals,
                    hindrances, healing, confinement, address_families, two_namespaces, people, shared_memory, *SYSTEMS_CHAPTERS, deletion, *RUN_CHAPTERS, upgrades, *SERVER_CHAPTERS, figures,
                    *OPERATOR_CHAPTERS, *NAMESPACE_CHAPTERS, *FOREIGN_CHAPTERS, *METRICS_CHAPTERS, *NODE_CHAPTERS,
                    *UNINSTALL_CHAPTERS)
