"""The two programs with a state file, as the crash tests see them: how to start one, how to write an item
that is acknowledged, and how to find the items in its files again. An item is text that holds
'item-N-'; N is what the tests count."""
import glob
import os
import sys


import integrity  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: away
contexts: [{name: away, context: {cluster: away, user: nobody}}]
clusters: [{name: away, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: nobody, user: {token: none}}]
"""
SAMPLE = os.path.join(programs.ROOT, "config/samples/agent.yaml")


class Server:
    """The memory server: an item is an observation. A write that got no answer is repeated with its key."""
    name, repeats = "server", True

    def __init__(self, folder):
        self.folder = os.path.join(folder, "server")
        self.data = os.path.join(self.folder, "memory")

    def program(self, **more):
        return programs.server(self.folder, **more)

    def write(self, connection, item, conversation, more=""):
        body = {"session_id": conversation, "project": "coder", "type": "bugfix", "title": f"item {item}",
                "content": f"error: item-{item}- of {conversation} {more}"}
        status, answer = wire.on(connection, "POST", "/observations", body,
                                 {"Idempotency-Key": f"key-{item}", "X-Request-Id": f"ack-{item}"})
        return status, answer["id"] if status == 201 else None

    def read(self, connection, conversation):
        return wire.on(connection, "GET", f"/context?project=coder&query=error+{conversation}")[0]

    def kept(self, program, item, where):
        """Asked of the running program: is the item there? `where` is what write() returned."""
        status, row = wire.ask(program.api, "GET", f"/observations/{where}")
        return status == 200 and f"item-{item}-" in row["content"]

    def stores(self, folder=None):
        """→ {what: [(file, table, column)]}: where each acknowledged item must be once."""
        files = [f for f in database_files(folder or self.data) if has_table(f, "observations")]
        return {"observations": [(f, "observations", "content") for f in files]}


class Tenants(Server):
    """The same with a file for each namespace, which is made, and its name written down, at the first write."""
    name = "tenants"

    def program(self, **more):
        program = super().program(**more)
        config = os.path.join(self.folder, "kubeconfig")  # nobody is asked: the writers have no token
        with open(config, "w", encoding="utf-8") as file:
            file.write(KUBECONFIG)
        program.arguments += ["--auth", "kubernetes", "--audience", "agent-memory.agents.agent-memory",
                              "--kubeconfig", config, "--anonymous-namespace", "agents",
                              "--anonymous-role", "agent"]
        return program


class Sidecar:
    """The sidecar: an item is a tool's failure that a rule captures. Hooks are not repeated."""
    name, repeats = "sidecar", False

    def __init__(self, folder, memory_url="http://127.0.0.1:1"):
        self.folder = os.path.join(folder, "sidecar")
        self.data = os.path.join(self.folder, "state")
        os.makedirs(self.folder, exist_ok=True)
        programs.render(SAMPLE, self.folder, memory_url)

    def program(self, **more):
        return programs.sidecar(self.folder, os.path.join(self.folder, "policy.json"), **more)

    def write(self, connection, item, conversation, more=""):
        event = {"session_id": conversation, "hook_event_name": "PostToolUseFailure", "tool_name": "bash",
                 "tool_input": {"command": "make"}, "tool_use_id": f"toolu_{item}",
                 "error": f"Exit code 2\nerror: item-{item}- of {conversation} {more}"}
        status, _ = wire.on(connection, "POST", "/v1/hooks", event, {"X-Request-Id": f"ack-{item}"})
        return status, conversation

    def read(self, connection, conversation):
        return wire.on(connection, "GET", f"/conversations/{conversation}/messages")[0]

    def kept(self, program, item, where):
        status, body = wire.ask(program.api, "GET", f"/conversations/{where}/messages")
        return status == 200 and any(f"item-{item}-" in m["content"] for m in body["messages"])

    def stores(self, folder=None):
        file = os.path.join(folder or self.data, "state.db")
        return {"messages": [(file, "messages", "content")], "outbox": [(file, "outbox", "body")]}


def database_files(folder):
    """Files with SQLite's head, wherever they are below the folder."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "**"), recursive=True)):
        if os.path.isfile(path) and not path.endswith(("-wal", "-shm", "-journal")):
            with open(path, "rb") as file:
                if file.read(16) == b"SQLite format 3\0":
                    found.append(path)
    return found


def has_table(file, table):
    return not integrity.missing(file, table)


def problems(folder):
    return [p for file in database_files(folder) for p in integrity.problems(file)]


def items(places):
    return [item for file, table, column in places for item in integrity.items(file, table, column)]
