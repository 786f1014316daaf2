"""The three other systems on a cluster: the Agents and commands of docs/coming-from/{chapter,aegis,agentos}.md, and the
clients of e2e/clients against sidecars and server, through kubectl's port-forward. The clients run the same checks as on
a laptop; in addition pods are deleted, and another namespace tries to read."""
import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import types

import programs
import pypi
import wire
from on_cluster import LABEL, NAMESPACE, NEXT_DOOR, READY_S, SERVER_LABEL, containers
from shared_chapters import GRANT_S, RESOURCE

sys.path.append(os.path.join(programs.ROOT, "e2e/clients"))

import aegis_test  # noqa: E402
import agentos_test  # noqa: E402
import chapter_test  # noqa: E402

STRANGER = "stranger"  # a ServiceAccount of NEXT_DOOR
LISTENS = re.compile(r"Forwarding from (127\.0\.0\.1:\d+) ")


class Page:
    """The section "On a cluster" of a page: its manifest, and its kubectl commands."""

    def __init__(self, name):
        with open(os.path.join(programs.ROOT, f"docs/coming-from/{name}.md"), encoding="utf-8") as file:
            section = file.read().split("\n## On a cluster\n")[1].split("\n## ")[0]
        self.manifest = "---\n".join(re.findall(r"^```yaml\n(.*?)^```", section, re.S | re.M))
        self.agents = re.findall(r"^metadata: \{name: ([\w-]+)", self.manifest, re.M)
        self.commands = [shlex.split(line.split(" | ")[0], comments=True) for block in re.findall(r"^```sh\n(.*?)^```", section, re.S | re.M)
                         for line in block.splitlines() if line.startswith("kubectl ")]

    def words(self, verb):
        """→ the arguments after the verb, for each command that has the verb."""
        return [line[line.index(verb) + 1:] for line in self.commands if verb in line]


@contextlib.contextmanager
def agents_of(story, name):
    """Runs the page's Agents inside the `with` → the page."""
    driver, page = story.driver, Page(name)
    driver.kubectl("apply", "-f", "-", given=page.manifest)
    driver.try_kubectl("create", "serviceaccount", STRANGER, "-n", NEXT_DOOR)
    try:
        for agent in page.agents:
            driver.wait_ready(LABEL + agent)
        yield page
    finally:
        driver.kubectl("delete", "-f", "-", "--timeout=300s", given=page.manifest)


@contextlib.contextmanager
def forwards(story, page):
    """Runs the port-forwards of the page → an object for each, whose .api is the address."""
    with contextlib.ExitStack() as open_ones:
        yield [open_ones.enter_context(forward(story.driver, *words)) for words in page.words("port-forward")]


@contextlib.contextmanager
def forward(driver, target, ports):
    process = subprocess.Popen([*driver.base, "-n", NAMESPACE, "port-forward", target, ":" + ports.split(":")[-1]],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        said = LISTENS.match(process.stdout.readline())
        if not said:
            raise SystemExit(f"kubectl port-forward {target} {ports} does not listen")
        yield types.SimpleNamespace(api=said[1])
    finally:
        process.kill()
        process.communicate()


class SidecarOf:
    """An Agent's sidecar, with the methods of the sidecar in the client's test: kill() deletes its pod, start() waits for
    the next pod, on the same volume."""

    def __init__(self, driver, agent):
        self.driver, self.agent, self.api = driver, agent, ""
        self.gone, self.open = [], contextlib.ExitStack()

    def start(self):
        self.driver.wait_ready(LABEL + self.agent, 1, self.gone)
        self.api = self.open.enter_context(forward(self.driver, f"pod/{self.agent}-0", ":7437")).api

    def kill(self):
        self.open.close()
        pod = self.driver.pod(self.agent)
        if self.api and pod:
            self.gone, self.api = containers(pod), ""
            self.driver.kubectl("delete", "pod", pod["metadata"]["name"], "--grace-period=0", "--force")


def server_pod_goes(story):
    """Deletes the server's pod, and waits until the next one is ready."""
    driver = story.driver
    gone = [one for pod in driver.pods(SERVER_LABEL) for one in containers(pod)]
    driver.kubectl("delete", "pod", "-l", SERVER_LABEL, "--wait=false")
    driver.wait_ready(SERVER_LABEL, 1, gone)


def strangers(story, words, *requests):
    """Calls these routes with a token of the other namespace: no answer may contain one of the words."""
    token = story.driver.token(NEXT_DOOR, account=STRANGER)
    answers = story.driver.ask_server_all([(token, *request) for request in requests])
    seen = [(request[:2], answer) for request, answer in zip(requests, answers)
            if answer[0] in (0, 401, 500) or any(word in str(answer[1]) for word in words)]
    story.checks.equal(seen, [], f"another namespace is known, and reads nothing of it on {len(requests)} routes")


def chapter(story):
    c, driver = story.checks, story.driver
    c.chapter("s1. The chapter's client, in Go, at the sidecars of two Agents")
    with agents_of(story, "chapter") as page, tempfile.TemporaryDirectory() as folder:
        program = chapter_test.built(folder)
        if not program:
            c.say("left out: there is no Go")
            return
        with forwards(story, page) as (planner, worker):
            chapter_test.run(c, program, planner, "operations")
            listed = wire.until(lambda: grants(driver, page), GRANT_S, 0.3)
            c.equal(listed, ["[planner] [get list]"], "kubectl auth can-i --list says what the worker may read")
            chapter_test.run(c, program, planner, "shared", f"http://{worker.api}")
            server_pod_goes(story)
            chapter_test.run(c, program, planner, "exercise1")
        strangers(story, ["disk was full", "measure"], ("GET", "/items?query=database&limit=5", None), ("GET", "/items/db-problem", None),
                  ("GET", "/items/render?query=database", None), ("GET", "/shared", None), ("GET", "/shared/planner/plan", None))
        chapter_test.resume(c, program, folder, SidecarOf(driver, "planner"))


def grants(driver, page):
    """→ names and verbs, as the page's command lists them."""
    said = driver.kubectl("auth", "can-i", *page.words("can-i")[0])
    return [" ".join(line.split("[]", 1)[1].split(None, 1)).strip() for line in said.splitlines() if line.startswith(RESOURCE)]


def aegis(story):
    c, driver = story.checks, story.driver
    c.chapter("s2. The AEGIS client, in Python, at the server's port 8002 and at a sidecar")
    installed = pypi.folder_of(c, "aegis-client", aegis_test.PINS)
    client = installed and os.path.join(installed, "python")
    if not client:
        return
    with agents_of(story, "aegis") as page:
        token, name = driver.token(account=page.agents[0] + "-agent"), "gate" + story.run
        with forwards(story, page) as (server, sidecar):
            aegis_test.run_client(c, client, "server, AEGIS port", f"http://{server.api}", token=token)
            c.equal(wire.ask(server.api, "GET", f"/working-memory/{name}")[0], 401, "which asks for a token")
            aegis_test.run_client(c, client, "sidecar", f"http://{sidecar.api}")
            put = ("PUT", f"/working-memory/{name}", {"fields": {"gate": name}})
            bearer = {"Authorization": f"Bearer {token}"}
            episode = {"conversation_id": name, "agent_id": "analyst", "summary": f"Rule 37 was checked: {name}."}
            said = [wire.ask(sidecar.api, *put)[0], wire.ask(server.api, *put, headers=bearer)[0],
                    wire.ask(server.api, "POST", "/episodic/store", episode, headers=bearer)[0]]
            c.that(max(said) < 300 and min(said) >= 200, "fields at both, and an episode, are acknowledged", said)
        server_pod_goes(story)
        agent = SidecarOf(driver, page.agents[0])
        agent.start()
        agent.kill()
        agent.start()
        kept = wire.ask(agent.api, "GET", f"/working-memory/{name}")
        agent.open.close()
        c.equal(kept[1].get("fields"), {"gate": name}, "the pod is another: its working memory is that of before")
        fields, episodes = driver.ask_server_all([(token, "GET", f"/working-memory/{name}", None),
                                                  (token, "GET", f"/episodic/{name}", None)])
        c.equal([fields[1].get("fields"), len(episodes[1].get("memories", []))], [{"gate": name}, 1],
                "so is the server's pod: fields and episode are there")
        strangers(story, ["'gate'", "Rule 37"], ("GET", f"/working-memory/{name}", None), ("GET", f"/episodic/{name}", None), (
            "POST", "/episodic/search", {"query": "rule 37 checked", "agent_id": "analyst"}))


def agentos(story):
    c, driver = story.checks, story.driver
    c.chapter("s3. The client of AgentOS' tools, in TypeScript, at the server; facts of an Agent's turns")
    tsc, why = agentos_test.compiler()
    if not tsc:
        c.say(f"left out: {why}")
        return
    with agents_of(story, "agentos") as page, tempfile.TemporaryDirectory() as folder:
        program, agent = agentos_test.built(c, tsc, folder), page.agents[0]
        token = driver.token(account=agent + "-agent")
        with forwards(story, page) as (server, sidecar):
            for part in ("tools", "turns"):
                agentos_test.run(c, program, server, part, token)
            c.that({"memory_add", "memory_search", "memory_reflect"} <= tools(sidecar.api), "a model is offered the tools", tools(sidecar.api))
        driver.turn(agent, "talk", "I prefer dark roast coffee over tea.")

        def found():
            status, said = driver.ask(agent, "POST", "/traces/search", {"query": "coffee"})
            return said.get("results", []) if status == 200 else []
        facts = wire.until(found, READY_S / 4, 0.3)
        c.that(facts, "autoIngest: a turn of the agent became a trace, which its search finds", found())

        def all_of_them():
            status, rows = driver.ask_server_as(token, "GET", "/observations/recent?limit=1000")
            return sorted((row["id"], row["content"]) for row in rows) if status == 200 else status
        before = all_of_them()
        server_pod_goes(story)
        c.equal(all_of_them(), before, f"the server's pod is another: {len(before)} memories, each as before")
        trace = facts[0]["id"] if facts else "mt_none"
        strangers(story, ["coffee"], ("GET", f"/traces/{trace}", None), ("POST", "/traces/search", {"query": "roast"}),
                  ("GET", "/search?q=roast", None), ("GET", "/traces/due", None))


def tools(address):
    """→ names of the tools that the sidecar offers over MCP."""
    head = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Accept": "application/json, text/event-stream"}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    _, said = wire.ask(address, "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}, head)
    return {tool["name"] for tool in said.get("result", {}).get("tools", [])} if isinstance(said, dict) else {said}


SYSTEMS_CHAPTERS = (chapter, aegis, agentos)
