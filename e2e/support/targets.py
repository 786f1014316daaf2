"""The two programs with state files, behind the interface of the crash tests: start one, write an item that it
acknowledges, and find the items in its files. An item is a text that contains 'item-N-'; the tests
identify it by N."""
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


class Refused(Exception):
    """One of an item's writes was not acknowledged; has the status."""


class Server:
    """The memory server: an item is an observation. A write without an answer is repeated with its idempotency key."""
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
        """True if the running program has the item. `where`: the place that write() returned."""
        status, row = wire.ask(program.api, "GET", f"/observations/{where}")
        return status == 200 and f"item-{item}-" in row["content"]

    def stores(self, folder=None):
        """→ {name: [(file, table, column)]}: the stores, each of which must have each acknowledged item once."""
        files = [f for f in database_files(folder or self.data) if has_table(f, "observations")]
        return {"observations": [(f, "observations", "content") for f in files]}


class Items(Server):
    """The memory server: an item is a key-value item, whose writes are idempotent."""
    name = "items"

    def write(self, connection, item, conversation, more=""):
        status, _ = wire.on(connection, "PUT", f"/items/k{item}?project=coder",
                            {"value": f"error: item-{item}- of {conversation} {more}", "ttl": 0}, {"X-Request-Id": f"ack-{item}"})
        return status, f"k{item}"

    def read(self, connection, conversation):
        return wire.on(connection, "GET", f"/items?project=coder&query=error+{conversation}")[0]

    def kept(self, program, item, where):
        status, row = wire.ask(program.api, "GET", f"/items/{where}?project=coder")
        return status == 200 and f"item-{item}-" in row["value"]

    def stores(self, folder=None):
        files = [f for f in database_files(folder or self.data) if has_table(f, "items")]
        return {"items": [(f, "items", "value") for f in files]}


class Episodes(Server):
    """The memory server: an item is an episode: an observation and a row beside it, stored together or not at all."""
    name = "episodes"

    def write(self, connection, item, conversation, more=""):
        body = {"conversation_id": conversation, "agent_id": "coder", "project": "coder", "entities": [f"item-{item}-"],
                "summary": f"error: item-{item}- of {conversation} {more}"}
        status, _ = wire.on(connection, "POST", "/episodic/store", body,
                            {"Idempotency-Key": f"key-{item}", "X-Request-Id": f"ack-{item}"})
        return status, conversation

    def read(self, connection, conversation):
        return wire.on(connection, "POST", "/episodic/search", {"query": conversation, "agent_id": "coder", "project": "coder"})[0]

    def kept(self, program, item, where):
        status, answer = wire.ask(program.api, "GET", f"/episodic/{where}?project=coder")
        return status == 200 and any(f"item-{item}-" in one["summary"] for one in answer["memories"])

    def stores(self, folder=None):
        files = [f for f in database_files(folder or self.data) if has_table(f, "episodes")]
        return {"episodes": [(f, "episodes", "fields") for f in files],
                "observations": [(f, "observations", "content") for f in files]}


class Traces(Server):
    """The memory server: an item is a trace merged from two, its edge, whose kind names the item, and a turn, whose
    conversation does. A merge is not repeated, since it deletes its sources."""
    name, repeats = "traces", False

    def write(self, connection, item, conversation, more=""):
        def ask(method, path, body, head=None):
            status, answer = wire.on(connection, method, path, body, head)
            if not 200 <= status < 300:
                raise Refused(status)
            return answer

        try:
            ids = [ask("POST", "/traces", {"content": f"error: {part} {item} of {conversation} {more}"})["traceId"]
                   for part in ("left", "right", "friend")]
            merged = ask("POST", "/traces/merge", {"traceIds": ids[:2], "content": f"error: item-{item}- of {conversation}"})["mergedTraceId"]
            ask("PUT", f"/traces/{merged}/edges/{ids[2]}", {"kind": f"item-{item}-"})
            turn = ask("POST", "/ingest/turns", {"user": f"I prefer tea number {item}.", "conversation": f"item-{item}-"},
                       {"Idempotency-Key": f"key-{item}", "X-Request-Id": f"ack-{item}"})["turn"]
        except Refused as refused:
            return refused.args[0], None
        return 202, (merged, *ids, turn)

    def read(self, connection, conversation):
        return wire.on(connection, "POST", "/traces/search", {"query": f"error {conversation}"})[0]

    def kept(self, program, item, where):
        merged, left, right, friend, turn = where
        status, row = wire.ask(program.api, "GET", f"/traces/{merged}")
        sources = [wire.ask(program.api, "GET", f"/traces/{source}?deleted=true")[1].get("mergedInto") for source in (left, right)]
        return (status == 200 and f"item-{item}-" in row["content"] and sources == [merged] * 2
                and [edge["to"] for edge in row["edges"]] == [friend] and wire.ask(program.api, "GET", f"/ingest/turns/{turn}")[0] == 200)

    def stores(self, folder=None):
        files = [f for f in database_files(folder or self.data) if has_table(f, "trace_edges")]
        return {what: [(f, table, column) for f in files] for what, table, column in (
            ("merged traces", "observations", "content"), ("edges", "trace_edges", "kind"), ("turns", "ingest_turns", "context"))}


class Tenants(Server):
    """The memory server with a file per namespace, which the first write creates and registers."""
    name = "tenants"

    def program(self, **more):
        program = super().program(**more)
        config = os.path.join(self.folder, "kubeconfig")  # never called, since the writers have no token
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


class WorkingMemory:
    """A mixin for a program: an item is a field of a conversation and a mark in its ledger, both acknowledged. Both
    writes are idempotent."""
    repeats = True

    def write(self, connection, item, conversation, more=""):
        conversation = f"{conversation}-{item // 100}"  # fields have at most 64 KiB
        status, _ = wire.on(connection, "PUT", f"/working-memory/{conversation}", {"fields": {f"item-{item}-": more}})
        if status == 200:
            status, _ = wire.on(connection, "POST", f"/ledger/{conversation}/mark", {"item": f"item-{item}-"},
                                {"X-Request-Id": f"ack-{item}"})
        return status, conversation

    def read(self, connection, conversation):
        return wire.on(connection, "GET", f"/working-memory/{conversation}")[0]

    def kept(self, program, item, where):
        _, fields = wire.ask(program.api, "GET", f"/working-memory/{where}")
        _, mark = wire.ask(program.api, "POST", f"/ledger/{where}/check", {"item": f"item-{item}-"})
        return f"item-{item}-" in fields["fields"] and mark["injected"]

    def stores(self, folder=None):
        files = [f for f in database_files(folder or self.data) if has_table(f, "working_memory")]
        return {"fields": [(f, "working_memory", "fields") for f in files],
                "marks": [(f, "ledger", "item") for f in files]}


class ServerWorkingMemory(WorkingMemory, Server):
    name = "server-working-memory"


class SidecarWorkingMemory(WorkingMemory, Sidecar):
    name = "sidecar-working-memory"


class Conversations:
    """A mixin for a program: an item is a conversation with a message, its task, and its block, which is closed last."""
    repeats = False

    def write(self, connection, item, conversation, more=""):
        path, text = f"/conversations/{conversation}-{item}", f"item-{item}- {more}"
        status, _ = wire.on(connection, "POST", f"{path}/messages", {"messages": [{"role": "user", "content": text}]})
        if status == 200:
            status, _ = wire.on(connection, "PUT", f"{path}/working", {"task": text})
        if status == 200:
            status, _ = wire.on(connection, "POST", f"{path}/blocks/close", {"outcome": text}, {"X-Request-Id": f"ack-{item}"})
        return status, f"{conversation}-{item}"

    def read(self, connection, conversation):
        return wire.on(connection, "GET", "/conversations?limit=20")[0]

    def kept(self, program, item, where):
        text = f"item-{item}-"
        blocks = wire.ask(program.api, "GET", f"/conversations/{where}/blocks/0")[1]
        task = wire.ask(program.api, "GET", f"/conversations/{where}/snapshot")[1]
        return blocks["state"] == "closed" and text in blocks["messages"][0]["content"] and text in task["task"]

    def stores(self, folder=None):
        files = [f for f in database_files(folder or self.data) if has_table(f, "task_states")]
        return {f"{table}.{column}": [(f, table, column) for f in files]
                for table, column in (("messages", "content"), ("blocks", "outcome"), ("task_states", "state"))}


class ServerConversations(Conversations, Server):
    name = "server-conversations"


class SidecarConversations(Conversations, Sidecar):
    name = "sidecar-conversations"


class Shared(Server):
    """The memory server: an item is a shared value."""
    name = "shared"

    def write(self, connection, item, conversation, more=""):
        status, _ = wire.on(connection, "PUT", f"/shared/coder/k{item}?as=coder", f"item-{item}- of {conversation} {more}",
                            {"X-Request-Id": f"ack-{item}"})
        return status, f"k{item}"

    def read(self, connection, conversation):
        return wire.on(connection, "GET", "/shared?as=coder")[0]

    def kept(self, program, item, where):
        status, value = wire.ask(program.api, "GET", f"/shared/coder/{where}?as=coder")
        return status == 200 and f"item-{item}-" in value

    def stores(self, folder=None):
        files = [f for f in database_files(folder or self.data) if has_table(f, "shared_items")]
        return {"shared": [(f, "shared_items", "value") for f in files]}


class Checkpoints:
    """A mixin for a program: an item is a checkpoint in its own conversation, so that no checkpoint evicts another. A
    repeated save would add a generation."""
    repeats = False

    def write(self, connection, item, conversation, more=""):
        conversation = f"{conversation}-{item}"
        status, _ = wire.on(connection, "PUT", f"/conversations/{conversation}/checkpoint",
                            {"step": item, "memory": {f"item-{item}-": more}}, {"X-Request-Id": f"ack-{item}"})
        return status, conversation

    def read(self, connection, conversation):
        return wire.on(connection, "GET", "/conversations?limit=10")[0]

    def kept(self, program, item, where):
        status, found = wire.ask(program.api, "GET", f"/conversations/{where}/checkpoint")
        return status == 200 and found["step"] == item and "skipped" not in found

    def stores(self, folder=None):
        files = [f for f in database_files(folder or self.data) if has_table(f, "checkpoints")]
        return {"checkpoints": [(f, "checkpoints", "document") for f in files]}


class ServerCheckpoints(Checkpoints, Server):
    name = "server-checkpoints"


class SidecarCheckpoints(Checkpoints, Sidecar):
    name = "sidecar-checkpoints"


# Tables other than those of Server and Sidecar. They use the same path to the disk, so tests run fewer rounds of them.
BESIDE = {"items": Items, "episodes": Episodes, "shared": Shared, "traces": Traces,
          **{kind.name: kind for kind in (ServerWorkingMemory, SidecarWorkingMemory, ServerConversations, SidecarConversations,
                                        ServerCheckpoints, SidecarCheckpoints)}}


def database_files(folder):
    """Files with SQLite's header anywhere below the folder."""
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
