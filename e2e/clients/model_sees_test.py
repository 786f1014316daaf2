#!/usr/bin/env python3
"""Judges the text that a model receives of 1,000 hostile memories: from hooks, from Claude Code itself (hooks and MCP, as it
forwards them to a scripted Messages API), and from the official MCP clients, in results and in errors. The text must not be
raw, be outside its fence, or forge an item. Prints its seed; HOSTILE_SEED repeats a run. mcp_test.py and
claude_code_test.py install the clients; without the registries they are skipped.

    python3 e2e/clients/model_sees_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import concurrent.futures
import json
import os
import shutil
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import claude_code_test  # noqa: E402
import hostile  # noqa: E402
import mcp_test  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

TEXTS, PAGE, SESSIONS = 1000, 25, 5


class World:
    """A memory server with hostile memories, and a sidecar with high limits for recall."""

    def __init__(self, folder, seed):
        self.folder, self.texts = folder, hostile.Texts(seed)
        self.server = programs.server(folder).start()
        policy = os.path.join(folder, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "agent": "coder", "namespace": "agents",
                       "memory": {"url": "http://" + self.server.api, "project": "coder", "contextLimit": 50, "budgetTokens": 3400},
                       "toolHooks": {"allowedPaths": [folder]}}, file)
        self.sidecar = programs.sidecar(folder, policy).start()
        if not self.sidecar.ready():
            raise SystemExit("the sidecar is not ready:\n" + self.sidecar.tail())
        self.page_of = {}

    def hook(self, conversation, event):
        status, answer = wire.ask(self.sidecar.api, "POST", "/v1/hooks", {**event, "session_id": conversation})
        return answer.get("hookSpecificOutput", {}) if status == 200 else {"refused": answer}

    def fill(self):
        """Stores the texts in every field that a writer chooses; one word finds PAGE rows."""
        for number in range(SESSIONS):
            self.hook(f"past-{number}", {"hook_event_name": "UserPromptSubmit", "prompt": self.texts.one()})
            self.hook(f"past-{number}", {"hook_event_name": "Stop", "last_assistant_message": self.texts.one()})
            self.hook(f"past-{number}", {"hook_event_name": "SessionEnd"})
        rows = [self.row(number) for number in range(TEXTS)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            saved = list(pool.map(lambda row: wire.ask(self.server.api, "POST", "/observations", row), rows))
        for number, (status, answer) in enumerate(saved):
            if status != 201:
                raise SystemExit(f"a memory was not saved: {status} {answer} {rows[number]}")
            self.page_of[answer["id"]] = number // PAGE

    def row(self, number):
        row = {"session_id": "writer", "project": "coder", "type": "decision", "title": f"number{number}",
               "content": f"page{number // PAGE}word number{number} {self.texts.one()}"}
        if number % 5 == 0:
            row.update({"title": f"number{number} {self.texts.one(3)}", "type": self.texts.one(2)[:50], "topic_key": f"k{number} {self.texts.one(2)}",
                        "tags": [self.texts.one(2)[:100]], "source": {"tool": self.texts.one(2), "rule": self.texts.one(2)}})
        return row

    def searches(self):
        return [("mem_search", {"query": f"page{page}word", "limit": 100}) for page in range(TEXTS // PAGE)]

    def stop(self):
        self.sidecar.stop()
        self.server.stop()


class Seen:
    """The memories that one way (hooks or a client) showed. Those that did not fit into a search are read by id."""

    def __init__(self, name):
        self.name, self.ids, self.raw, self.forged, self.lines = name, set(), [], [], []

    def take(self, found):
        self.ids.update(found[0])
        self.raw += found[1]
        self.forged += found[2]

    def missing(self, world):
        return [("mem_get", {"id": number}) for number in world.page_of if number not in self.ids]

    def whole(self, tool, arguments):
        """Counts the memory of a mem_get as seen: its result has no head of an item."""
        if tool == "mem_get" and "id" in arguments:
            self.ids.add(arguments["id"])

    def report(self, counts, world=None):
        if world:
            left = [number for number in world.page_of if number not in self.ids]
            counts.check(f"{self.name}: every text reached the model", not left, f"{len(left)} did not: {left[:10]}")
        counts.check(f"{self.name}: 0 raw", not self.raw, f"{len(self.raw)}: {self.raw[:5]}")
        counts.check(f"{self.name}: 0 forged", not self.forged, f"{len(self.forged)}: {self.forged[:3]}")
        counts.check(f"{self.name}: refusals are one inert line", not self.lines, f"{len(self.lines)}: {self.lines[:5]}")
        print(f"{self.name}: {len(self.ids)} memories seen, {len(self.raw)} raw, {len(self.forged)} forged", flush=True)


def by_hooks(counts, world):
    seen = Seen("hooks")
    for page in range(TEXTS // PAGE):
        for part in range(4):  # an injected memory is not injected again: each prompt gets the next ones
            said = world.hook(f"reader-{page}", {"hook_event_name": "UserPromptSubmit", "prompt": f"page{page}word", "prompt_id": str(part)})
            seen.take(hostile.judge(said.get("additionalContext", "")))
    for _ in range(50):
        said = world.hook("denied", {"hook_event_name": "PreToolUse", "tool_name": "Read", "cwd": world.folder,
                                     "tool_input": {"file_path": "/etc/" + world.texts.one()}})
        if said.get("permissionDecision") != "deny":
            seen.lines.append(f"not denied: {said}")
        seen.lines += hostile.judge_line(said.get("permissionDecisionReason", ""))
    seen.report(counts, None)
    counts.check("hooks: most texts were injected", len(seen.ids) > TEXTS // 2, len(seen.ids))


def refused_calls(world):
    """Calls whose refusal quotes their input."""
    texts = [world.texts.one(4) for _ in range(20)]
    return ([("mem_get", {text: 1}) for text in texts] + [("mem_save", {"title": "t", "content": "c", "scope": text}) for text in texts] +
            [("recall", {"conversation": text}) for text in texts] + [(text, {}) for text in texts])


def by_client(counts, world, name, argv):
    seen = Seen(name)
    past = [("recall", {"conversation": f"past-{number}"}) for number in range(SESSIONS)]
    more = [("mem_context", {}), ("mem_timeline", {"observation_id": 5}), ("mem_suggest_topic_key", {"title": "number1"})]
    calls = world.searches() + past + more
    for round_calls in (lambda: calls, lambda: seen.missing(world) + [("mem_get", {"id": n}) for n in list(world.page_of)[::5]],
                        lambda: refused_calls(world)):
        asked = round_calls()
        for (tool, arguments), said in zip(asked, make_calls(counts, world, name, argv, asked)):
            if said["error"]:
                seen.lines += hostile.judge_line(said["text"])
                continue
            seen.whole(tool, arguments)
            seen.take(hostile.judge(said["text"]))
            seen.take(hostile.judge_result(json.dumps(said["structured"], ensure_ascii=False)))
    seen.report(counts, world)


def make_calls(counts, world, name, argv, calls):
    path = os.path.join(world.folder, "calls.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(calls, file)
    done = mcp_test.run(counts, name, [*argv, path, f"http://{world.sidecar.api}/mcp"], world.folder)
    lines = [line for line in done.stdout.split("\n") if line] if done else []  # splitlines() would split at raw characters
    counts.check(f"{name}: {len(calls)} calls are answered", len(lines) == len(calls), done and done.stderr[-600:])
    return [json.loads(line) for line in lines]


def shown(messages):
    """Yields (type of block, text, is it an error) for the texts that a client sent, without the model's own."""
    for message in messages:
        content = message["content"] if isinstance(message["content"], list) else [{"type": "text", "text": message["content"]}]
        for block in content if message["role"] == "user" else []:
            inner = block.get("content") if block["type"] == "tool_result" else block.get("text", "")
            for part in inner if isinstance(inner, list) else [{"text": inner}]:
                yield block["type"], part.get("text") or "", block.get("is_error", False)


def by_claude_code(counts, world, program):
    seen, api = Seen("Claude Code"), claude_code_test.Messages()
    try:
        claude = claude_code_test.Claude(program, world, api)
        config = os.path.join(world.folder, "mcp.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"memory": {"type": "http", "url": f"http://{world.sidecar.api}/mcp"}}}, file)
        claude.more = ["mcp__memory", "--mcp-config", config, "--strict-mcp-config"]
        more = [("mem_context", {}), ("recall", {"conversation": "past-0"})] + [("mem_get", {"id": n}) for n in list(world.page_of)[:20:5]]
        refused = refused_calls(world)[::7]
        denied = [{"name": "Read", "input": {"file_path": "/etc/" + world.texts.one()}} for _ in range(5)]
        for number, calls in enumerate((lambda: world.searches() + more + [call for call in refused if call[0] in ("mem_get", "recall")],
                                        lambda: seen.missing(world))):
            asked = calls()
            api.script = [{"name": "mcp__memory__" + tool, "input": arguments} for tool, arguments in asked] + (denied if number == 0 else [])
            wanted = len(api.script)
            _, done = claude.run(f"page{number}word")
            counts.check("Claude Code ends well", done.returncode == 0, (done.stdout[-300:], done.stderr[-300:]))
            results = look(seen, json.loads(api.asked[-1]), dict(enumerate(asked))) if api.asked else 0
            counts.check(f"Claude Code forwards {wanted} results", results == wanted, f"{results}")
    finally:
        api.stop()
    seen.report(counts, world)


def look(seen, messages, asked):
    """Judges the texts that one run showed the model → the number of tool results."""
    results = 0
    for kind, text, error in shown(messages):
        if kind == "tool_result":
            seen.whole(*asked.get(results, ("", {})))
            results += 1
        if error:
            seen.lines += hostile.judge_line(text.replace("<tool_use_error>", "").replace("</tool_use_error>", ""))
        elif kind == "tool_result":
            seen.take(hostile.judge_result(text))
        elif "memory:" in text:
            # The client's own text around the fence may have markup; the text inside may not.
            seen.take(hostile.judge(text))
    return results


def main():
    seed = int(os.environ.get("HOSTILE_SEED") or int.from_bytes(os.urandom(4), "big"))
    print(f"HOSTILE_SEED={seed}", flush=True)
    counts, clients = mcp_test.Counts(), mcp_test.Clients()
    folder = tempfile.mkdtemp(prefix="agent-memory-seen-")
    world = World(folder, seed)
    try:
        world.fill()
        by_hooks(counts, world)
        here = os.path.join(mcp_test.HERE, "typescript_calls.mjs")
        if why := clients.typescript():
            counts.skip("TypeScript client", why)
        else:
            shutil.copy(here, clients.folder)
            by_client(counts, world, "TypeScript client", [clients.node(), os.path.join(clients.folder, "typescript_calls.mjs")])
        if why := clients.python():
            counts.skip("Python client", why)
        else:
            by_client(counts, world, "Python client", [os.path.join(clients.folder, "venv/bin/python"), os.path.join(mcp_test.HERE, "python_calls.py")])
        program, why = claude_code_test.install()
        if why:
            counts.skip("Claude Code", why)
        else:
            by_claude_code(counts, world, program)
    finally:
        world.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
